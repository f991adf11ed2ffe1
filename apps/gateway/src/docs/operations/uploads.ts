import { NewStoreUpload, StoreUpload } from '@currawong/contracts';
import { acceptedExtensions } from '../../transcribe/upload/audio-kind';
import type { Operation } from '../operation';
import { UPLOAD_ID } from './examples';

const STORE = 'https://s3.ap-southeast-2.amazonaws.com/recordings/audio/source';

export const UPLOAD_OPERATIONS: Operation[] = [
  {
    id: 'createUpload',
    method: 'post',
    path: '/uploads',
    tag: 'Transcription',
    summary: 'Begin an upload that goes to the object store directly',
    description:
      'For browsers and for large files. Cut the file into the parts that the answer names and PUT each to its URL, in any order ' +
      'and several at once; the body of each PUT is exactly its bytes, with no header but Content-Length. A part that broke off is ' +
      'PUT again alone. Then send POST /transcribe with `upload_id` and the other fields: extension, content and size are ' +
      'looked at there. Until it is submitted the upload is a job with the status `uploading`; DELETE /jobs/{upload_id} ends it ' +
      '(it counts as an open one until `expires_at` all the same, because its URLs stay good), and what was not submitted by `expires_at` is erased. A page of another origin may PUT only where the rules (CORS) of the ' +
      'bucket allow its origin.',
    access: 'key or session',
    body: {
      mediaType: 'application/json',
      schema: NewStoreUpload,
      example: { filename: 'hearing.wav', size_bytes: 16_900_000 },
    },
    answers: {
      201: {
        description: 'Where to put the parts.',
        schema: StoreUpload,
        example: {
          upload_id: UPLOAD_ID,
          part_size_bytes: 16_777_216,
          parts: [
            { part_number: 1, size_bytes: 16_777_216, url: `${STORE}?partNumber=1&X-Amz-Signature=0a1b` },
            { part_number: 2, size_bytes: 122_784, url: `${STORE}?partNumber=2&X-Amz-Signature=2c3d` },
          ],
          expires_at: '2026-11-21T04:04:05.678Z',
        },
      },
    },
    refusals: [
      ['body_unreadable', 'Send the body as JSON, with Content-Type: application/json.'],
      ['invalid_parameter', 'size_bytes: must be the length of the file in bytes'],
      ['file_type_unsupported', `filename: it must end in one of ${acceptedExtensions.join(' ')}`],
      ['file_too_large', 'size_bytes: it is more than the 500 MB that are allowed.'],
      'insufficient_credit',
      'test_allowance_used',
      'too_many_uploads',
    ],
  },
];
