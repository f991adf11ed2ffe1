import { JobQuery, TranscriptQuery } from './job-query';

it('words are shown where they are asked for, and only by true', () => {
  expect(JobQuery.parse({ words: 'true' })).toEqual({ words: 'true' });
  expect(JobQuery.parse({ words: '' })).toEqual({});
  expect(JobQuery.parse({})).toEqual({});
  for (const words of ['false', '1', 'yes', 'TRUE', ['true', 'true']])
    expect(JobQuery.safeParse({ words }).error?.issues[0]?.message).toBe('must be true, or left out');
});

it('a transcript is JSON unless another format is asked for', () => {
  expect(TranscriptQuery.parse({})).toEqual({ format: 'json' });
  expect(TranscriptQuery.parse({ format: '' })).toEqual({ format: 'json' });
  expect(TranscriptQuery.parse({ format: 'vtt' })).toEqual({ format: 'vtt' });
  expect(TranscriptQuery.safeParse({ format: 'docx' }).error?.issues[0]?.message).toBe(
    'must be one of json, txt, srt, vtt',
  );
});
