import type { TranscriptDocument } from '@currawong/contracts';
import { answerIn, eventsIn } from './answers';
import type { AnswerWish, Format } from './form';

const word = (text: string, start: number) => ({ text, start, end: start + 0.5, confidence: 0.9 });
const segment = (speaker: string, start: number, ...texts: string[]) => ({
  ...{ speaker, start, end: start + texts.length / 2, confidence: 0.9 },
  text: texts.join(' '),
  words: texts.map((text, index) => word(text, start + index / 2)),
});
const document: TranscriptDocument = {
  ...{ version: 1, language: 'en', durationSeconds: 5.25, speakers: 2, warnings: [] },
  segments: [segment('Speaker 1', 0, 'Good', 'morning.'), segment('Speaker 2', 3, 'Hello,', 'Katie.')],
  transcription: 'Good morning. Hello, Katie.',
  diarization: '[Speaker 1]: Good morning.\n[Speaker 2]: Hello, Katie.',
  engine: { name: 'moonshine', version: '1', model: 'base' },
  diarizer: { name: 'd', version: '1' },
};
const job = { id: '019ab3c4-52d1-7a3e-9c1f-3f6b2d0a7e11', audio_duration_seconds: 5 };
const usage = { type: 'duration', seconds: 5 };
const origin = { job_id: job.id, engine: { name: 'moonshine', version: '1', model: 'base' } };

const wish = (format: Format, granularities: AnswerWish['granularities'] = ['segment']): AnswerWish => ({
  ...{ format, stream: false, granularities },
});
const json = (...of: Parameters<typeof wish>): unknown => {
  const { contentType, body } = answerIn(wish(...of), { job, document });
  expect(contentType).toBe('application/json; charset=utf-8');
  return JSON.parse(body);
};
const text = (format: Format) => answerIn(wish(format), { job, document });

it('json is the text, what is charged for, and what made it', () => {
  expect(json('json')).toEqual({ text: document.transcription, usage, ...origin });
});

it('text is the text alone', () => {
  expect(text('text')).toEqual({
    contentType: 'text/plain; charset=utf-8',
    body: 'Good morning. Hello, Katie.\n',
  });
});

it('subtitles come without the names of speakers', () => {
  expect(text('srt')).toEqual({
    contentType: 'application/x-subrip; charset=utf-8',
    body: '1\n00:00:00,000 --> 00:00:01,000\nGood morning.\n\n2\n00:00:03,000 --> 00:00:04,000\nHello, Katie.\n',
  });
  expect(text('vtt')).toEqual({
    contentType: 'text/vtt; charset=utf-8',
    body: 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nGood morning.\n\n00:00:03.000 --> 00:00:04.000\nHello, Katie.\n',
  });
});

it('verbose_json has segments, words, or both, as they were asked for', () => {
  const whole = {
    task: 'transcribe',
    language: 'english',
    duration: 5.25,
    text: document.transcription,
    usage,
    ...origin,
  };
  const segments = [
    expect.objectContaining({
      id: 0,
      start: 0,
      end: 1,
      text: 'Good morning.',
      speaker: 'Speaker 1',
      tokens: [],
    }),
    expect.objectContaining({ id: 1, start: 3, end: 4, avg_logprob: Math.log(0.9) }),
  ];
  const words = [
    { word: 'Good', start: 0, end: 0.5 },
    { word: 'morning.', start: 0.5, end: 1 },
    { word: 'Hello,', start: 3, end: 3.5 },
    { word: 'Katie.', start: 3.5, end: 4 },
  ];
  expect(json('verbose_json')).toEqual({ ...whole, segments });
  expect(json('verbose_json', ['word'])).toEqual({ ...whole, words });
  expect(json('verbose_json', ['word', 'segment'])).toEqual({ ...whole, words, segments });
});

it('diarized_json calls the speakers A and B', () => {
  expect(json('diarized_json')).toEqual({
    ...{ task: 'transcribe', duration: 5.25, text: document.transcription, usage, ...origin },
    segments: [
      {
        type: 'transcript.text.segment',
        id: 'seg_000',
        start: 0,
        end: 1,
        text: 'Good morning.',
        speaker: 'A',
      },
      {
        type: 'transcript.text.segment',
        id: 'seg_001',
        start: 3,
        end: 4,
        text: 'Hello, Katie.',
        speaker: 'B',
      },
    ],
  });
});

it.each([
  ['words with spaces between', document],
  [
    'a script without spaces',
    {
      ...document,
      segments: [segment('Speaker 1', 0, '你好。'), segment('Speaker 2', 1, '早上好')],
      transcription: '你好。早上好',
    },
  ],
])('the pieces of a stream are the text: %s', (_, one) => {
  const events = [...eventsIn(wish('json'), { job, document: one })] as {
    type: string;
    delta?: string;
    text?: string;
  }[];
  expect(events.map(({ delta }) => delta ?? '').join('')).toBe(one.transcription);
  expect(events.map(({ type }) => type)).toEqual([
    'transcript.text.delta',
    'transcript.text.delta',
    'transcript.text.done',
  ]);
  expect(events.at(-1)).toEqual({ type: 'transcript.text.done', text: one.transcription, usage, ...origin });
});

it('a stream of speakers has each segment as well', () => {
  const events = [...eventsIn(wish('diarized_json'), { job, document })];
  expect(events).toHaveLength(5);
  expect(events[1]).toMatchObject({ type: 'transcript.text.segment', id: 'seg_000', speaker: 'A' });
});

it('a recording without speech is an empty text in every form', () => {
  const silent = { ...document, segments: [], transcription: '', diarization: '' };
  const of = (format: Format) => answerIn(wish(format, ['word', 'segment']), { job, document: silent }).body;
  expect(of('text')).toBe('\n');
  expect(of('srt')).toBe('');
  expect(of('vtt')).toBe('WEBVTT\n');
  expect(JSON.parse(of('verbose_json'))).toMatchObject({ text: '', words: [], segments: [] });
});
