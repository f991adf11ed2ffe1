import {
  objectKeys,
  TranscriptDocument,
  type PayloadOf,
  type RediarizeWork,
  type TranscriptSegment,
  type WorkOutcome,
} from '@currawong/contracts';
import { ObjectNotFound, ObjectStore } from '@currawong/object-store';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { analysedIfPossible } from '../analysis/analyse';
import type { Diarizer } from '../diarization/diarizer';
import { timed } from '../metrics';
import { composeTranscript } from '../report/compose-transcript';
import type { AttemptContext } from './attempt';
import { persistently } from './persistently';
import { asAskedFor, DIARIZER, NO_VOICES } from './recordings';
import { decodeTracks, decodeVoices } from './voices-file';

/** More than twelve hours of speech with a time for each word, or of what is noted of its voices. */
const MAX_BYTES = 500_000_000;
const IMPOSSIBLE = 'The speakers of this recording cannot be told apart again; send the recording again.';

/** The words of a finished recording once more, under speakers that are told apart anew from what was noted of them. */
@Injectable()
export class Rediarization {
  private readonly log = new Logger(Rediarization.name);

  constructor(
    @Inject(DIARIZER) private readonly diarizer: Diarizer,
    private readonly store: ObjectStore,
  ) {}

  async rediarize(work: PayloadOf<typeof RediarizeWork>, { signal }: AttemptContext): Promise<WorkOutcome> {
    const found = await this.read(work, signal);
    if (!found) return { kind: 'refused', code: 'voices_unusable', detail: IMPOSSIBLE };
    const { before, voices, tracks } = found;
    const turns = await timed('diarize', () =>
      this.diarizer.turns(voices, asAskedFor(work.num_speakers, signal)),
    ).catch((error: unknown) => {
      // Bytes that no diarizer of this release has written.
      if (error instanceof RangeError) return undefined;
      throw error;
    });
    if (!turns) return { kind: 'refused', code: 'voices_unusable', detail: IMPOSSIBLE };
    const wordsBefore = before.segments.flatMap(({ words }) => words);
    const composed = {
      ...before,
      ...composeTranscript({
        language: before.language,
        durationSeconds: before.durationSeconds,
        words: wordsBefore,
        turns,
        // Unless a part of the recording could not be observed at all, the speakers are told apart now.
        warnings: before.warnings.filter(
          (warning) => warning !== NO_VOICES || voices.some(({ length }) => length === 0),
        ),
        engine: before.engine,
        // Who noted the voices.
        diarizer: before.diarizer,
      }),
    };
    const { analysis, failure } =
      work.analysis === null
        ? { analysis: composed }
        : analysedIfPossible(composed, tracks ?? voices.map(() => Buffer.alloc(0)));
    if (failure) this.log.error(`no analysis of job ${work.job_id}: ${failure.message}`);
    const after = TranscriptDocument.parse(analysis);
    const result_key = objectKeys.result(work.job_id, work.item_id, work.attempt);
    const bytes = Buffer.from(JSON.stringify(after));
    await timed('store', () =>
      persistently(signal, () =>
        this.store.putBuffer(result_key, bytes, { contentType: 'application/json', signal }),
      ),
    );
    return {
      kind: 'rediarized',
      result_key,
      speakers_changed: speakersOf(before.segments) !== speakersOf(after.segments),
    };
  }

  /** Undefined where the voices are gone with the recording, or are nothing that was written here. */
  private async read(
    { result_key, voices_key }: PayloadOf<typeof RediarizeWork>,
    signal: AbortSignal,
  ): Promise<{ before: TranscriptDocument; voices: Buffer[]; tracks: Buffer[] | undefined } | undefined> {
    const document = await this.bytes(result_key, signal);
    const before = TranscriptDocument.parse(JSON.parse(document.toString('utf8')));
    try {
      const bytes = await this.bytes(voices_key, signal);
      return { before, voices: decodeVoices(bytes), tracks: decodeTracks(bytes) };
    } catch (error) {
      if (error instanceof ObjectNotFound || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  private bytes(key: string, signal: AbortSignal): Promise<Buffer> {
    return timed('fetch', () => this.store.getBuffer(key, undefined, MAX_BYTES, signal));
  }
}

/** Who says each word, in the order of the words. */
function speakersOf(segments: readonly TranscriptSegment[]): string {
  return segments.flatMap(({ speaker, words }) => words.map(() => speaker)).join();
}
