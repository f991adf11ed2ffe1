import { TranscriptDocument, type TranscriptWord } from '@currawong/contracts';
import { composeTranscript, type ComposeInput } from './compose-transcript';

const word = (text: string, start: number, end: number, confidence: number | null = 0.9): TranscriptWord => ({
  text,
  start,
  end,
  confidence,
});

const compose = (words: TranscriptWord[], turns: ComposeInput['turns'], warnings?: string[]) =>
  composeTranscript({
    language: 'en',
    durationSeconds: 12.345,
    words,
    turns,
    ...(warnings ? { warnings } : {}),
    engine: { name: 'engine', version: '1' },
    diarizer: { name: 'diarizer', version: '1' },
  });

describe('transcript', () => {
  const words = [word('good', 1, 1.4), word('morning', 1.4, 2), word('hello', 3, 3.5), word('there', 3.5, 4)];
  const turns = [
    { start: 0.9, end: 2.1, speaker: 1 },
    { start: 2.9, end: 4.1, speaker: 2 },
  ];

  it('says who said what, one turn a line', () => {
    const document = compose(words, turns);
    expect(document.diarization).toBe('[Speaker 1]: good morning\n[Speaker 2]: hello there');
    expect(document.transcription).toBe('good morning hello there');
    expect(document.speakers).toBe(2);
    expect(document.segments.map(({ speaker, start, end, text }) => ({ speaker, start, end, text }))).toEqual(
      [
        { speaker: 'Speaker 1', start: 1, end: 2, text: 'good morning' },
        { speaker: 'Speaker 2', start: 3, end: 4, text: 'hello there' },
      ],
    );
  });

  it('has no spaces in scripts that are written without', () => {
    const spoken = ['今日', 'は', 'Tokyo', 'に', '行く', '。'].map((text, i) =>
      word(text, 1 + i / 10, 1.1 + i / 10),
    );
    expect(compose(spoken, turns).transcription).toBe('今日は Tokyo に行く。');
    expect(compose(spoken, turns).diarization).toBe('[Speaker 1]: 今日は Tokyo に行く。');
  });

  it('fits the contract', () => {
    const document = compose(words, turns, ['a note']);
    expect(TranscriptDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
    expect(document.warnings).toEqual(['a note']);
  });

  it('numbers speakers by their first word, not by their first sound', () => {
    const coughFirst = [
      { start: 0, end: 0.5, speaker: 1 },
      { start: 0.9, end: 2.1, speaker: 2 },
      { start: 2.9, end: 4.1, speaker: 1 },
    ];
    expect(compose(words, coughFirst).diarization).toBe(
      '[Speaker 1]: good morning\n[Speaker 2]: hello there',
    );
    const silentThird = [...turns, { start: 8, end: 9, speaker: 3 }];
    expect(compose(words, silentThird).speakers).toBe(2);
  });

  it('is empty for a recording without speech', () => {
    expect(compose([], [])).toMatchObject({ transcription: '', diarization: '', segments: [], speakers: 0 });
    expect(compose([], turns)).toMatchObject({ transcription: '', diarization: '', speakers: 0 });
  });

  it('is one speaker without turns', () => {
    expect(compose(words, []).diarization).toBe('[Speaker 1]: good morning hello there');
  });

  it('gives a word on a border to who speaks during most of it, and a word in a gap to the nearest', () => {
    const close = [
      { start: 0, end: 2, speaker: 1 },
      { start: 2, end: 4, speaker: 2 },
    ];
    const spoken = [word('a', 0, 1), word('b', 1.5, 2.2), word('c', 1.9, 2.6), word('d', 4.3, 4.5)];
    expect(compose(spoken, close).diarization).toBe('[Speaker 1]: a b\n[Speaker 2]: c d');
    const gap = [
      { start: 0, end: 1, speaker: 1 },
      { start: 5, end: 6, speaker: 2 },
    ];
    expect(compose([word('a', 0, 1), word('b', 1.2, 1.6), word('c', 4.2, 4.8)], gap).diarization).toBe(
      '[Speaker 1]: a b\n[Speaker 2]: c',
    );
  });

  it('finds the turn of a word among turns that lie in each other', () => {
    const nested = [
      { start: 0, end: 10, speaker: 1 },
      { start: 2, end: 3, speaker: 2 },
    ];
    const spoken = [word('a', 0, 1), word('b', 5, 6), word('c', 9, 9.5)];
    expect(compose(spoken, nested).diarization).toBe('[Speaker 1]: a b c');
  });

  it('breaks a long turn at pauses into segments but keeps it on one line', () => {
    const talk = Array.from({ length: 60 }, (_, i) =>
      word(`w${i}`, i * 0.5 + (i >= 40 ? 0.6 : 0), i * 0.5 + 0.5 + (i >= 40 ? 0.6 : 0)),
    );
    const document = compose(talk, [{ start: 0, end: 40, speaker: 1 }]);
    expect(document.segments.map(({ words: part }) => part.length)).toEqual([40, 20]);
    expect(document.diarization.split('\n')).toHaveLength(1);
    const breathless = Array.from({ length: 120 }, (_, i) => word(`w${i}`, i * 0.5, i * 0.5 + 0.5));
    const { segments } = compose(breathless, [{ start: 0, end: 60, speaker: 1 }]);
    for (const { start, end } of segments) expect(end - start).toBeLessThanOrEqual(24);
    expect(segments.flatMap(({ words: part }) => part)).toEqual(breathless);
  });

  it('puts words in order of time, whatever order chunks came in, and drops stray spaces', () => {
    const document = compose([word(' world', 2, 3), word('hello ', 1, 2)], []);
    expect(document.transcription).toBe('hello world');
  });

  it('weighs confidence by duration and has none where the engine gives none', () => {
    expect(compose([word('a', 0, 1, 1), word('b', 1, 4, 0.5)], []).segments[0]!.confidence).toBeCloseTo(
      0.625,
    );
    expect(compose([word('a', 0, 1, null)], []).segments[0]!.confidence).toBeNull();
  });
});
