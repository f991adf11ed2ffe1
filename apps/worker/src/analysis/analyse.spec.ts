import type { TranscriptDocument, TranscriptSegment } from '@currawong/contracts';
import { joined } from '../audio/synthetic-sound';
import { SAMPLES_PER_SECOND } from '../audio/pcm';
import { analysed, analysedIfPossible } from './analyse';
import { vowel } from './synthetic-voice';
import { trackVoice } from './voice-track';

/** Segments in a row: so many seconds, words a second, pitch, swing of the pitch in semitones, level. */
interface Said {
  readonly speaker?: string;
  readonly seconds: number;
  readonly rate?: number;
  readonly hertz: number;
  readonly swing?: number;
  readonly level?: number;
  readonly text?: string;
}

async function conversation(said: readonly Said[], language = 'en') {
  let at = 0;
  const segments: TranscriptSegment[] = said.map(({ speaker = 'Speaker 1', seconds, rate = 2, text }) => {
    const count = Math.round(seconds * rate);
    const words = Array.from({ length: count }, (_, index) => ({
      text: text?.split(' ')[index] ?? 'word',
      start: at + (index * seconds) / count,
      end: at + ((index + 1) * seconds) / count,
      confidence: 1,
    }));
    at += seconds;
    return { start: at - seconds, end: at, speaker, text: text ?? 'word', confidence: 1, words };
  });
  const pcm = joined(
    ...said.map(({ seconds, hertz, swing = 0, level = 0.1 }) =>
      vowel(seconds, (time) => hertz * 2 ** ((swing / 12) * Math.sin(Math.PI * time)), { level }),
    ),
  );
  const track = await trackVoice({
    pcm,
    segments: [{ start: 0, end: pcm.length / SAMPLES_PER_SECOND }],
    startSeconds: 0,
  });
  const transcript: TranscriptDocument = {
    version: 1,
    language,
    durationSeconds: at,
    speakers: new Set(segments.map(({ speaker }) => speaker)).size,
    segments,
    transcription: '',
    diarization: '',
    warnings: ['before'],
    engine: { name: 'e', version: '1' },
    diarizer: { name: 'd', version: '1' },
  };
  return { transcript, tracks: [track] };
}

const usual: Said[] = [
  { seconds: 4, hertz: 120, swing: 2 },
  { seconds: 4, hertz: 120, swing: 2 },
  { seconds: 4, hertz: 120, swing: 2 },
];

describe('tone', () => {
  it('is measured in each segment: pitch, its range, level and rate', async () => {
    const { transcript, tracks } = await conversation([
      ...usual,
      { seconds: 4, hertz: 180, swing: 4, level: 0.2, rate: 3 },
    ]);
    const tones = analysed(transcript, tracks).segments.map(({ tone }) => tone!);
    expect(tones[0]).toMatchObject({ words_per_minute: 120, energy_db: 0, label: 'neutral' });
    expect(Math.abs(12 * Math.log2(tones[0]!.pitch_hz! / 120))).toBeLessThan(1);
    expect(tones[3]).toMatchObject({ words_per_minute: 180, label: 'animated' });
    expect(Math.abs(12 * Math.log2(tones[3]!.pitch_hz! / 180))).toBeLessThan(1);
    // Eight in all; the outer tenths are left out.
    expect(tones[3]!.pitch_range_semitones).toBeGreaterThan(6.5);
    expect(tones[3]!.pitch_range_semitones).toBeLessThan(8.1);
    expect(Math.abs(tones[3]!.energy_db - 6)).toBeLessThanOrEqual(1);
  });

  it('is calm where a speaker is lower, softer and slower than usual', async () => {
    const { transcript, tracks } = await conversation([
      ...usual,
      { seconds: 4, hertz: 95, swing: 0.5, level: 0.03, rate: 1 },
    ]);
    expect(analysed(transcript, tracks).segments[3]!.tone!.label).toBe('calm');
  });

  it('compares a speaker with themselves: a high voice is not an animated one', async () => {
    const high = usual.map((one) => ({ ...one, speaker: 'Speaker 2', hertz: 230, level: 0.3 }));
    const { transcript, tracks } = await conversation([...usual, ...high]);
    const { segments, speakersSummary } = analysed(transcript, tracks);
    expect(segments.map(({ tone }) => tone!.label)).toEqual(Array(6).fill('neutral'));
    expect(speakersSummary).toMatchObject([
      { speaker: 'Speaker 1', seconds: 12, words: 24, words_per_minute: 120 },
      { speaker: 'Speaker 2', seconds: 12, words: 24, words_per_minute: 120 },
    ]);
    const [low, higher] = speakersSummary!.map(({ tone }) => tone!);
    expect(higher!.energy_db - low!.energy_db).toBeCloseTo(20 * Math.log10(3), 0);
    expect(low!.label).toBe('neutral');
  });

  it('has no label where there is too little to compare with', async () => {
    const { transcript, tracks } = await conversation([{ seconds: 3, hertz: 120 }]);
    const [segment] = analysed(transcript, tracks).segments;
    expect(segment!.tone).toMatchObject({ label: null, words_per_minute: 120 });
    expect(segment!.tone!.pitch_hz).toBeGreaterThan(0);
  });
});

describe('sentiment', () => {
  const said = [
    { seconds: 3, hertz: 120, text: 'this is wonderful thank you' },
    { seconds: 3, hertz: 120, text: 'what a terrible horrible mess' },
    { seconds: 3, hertz: 220, speaker: 'Speaker 2', text: 'great i love it' },
  ];

  it('is there for each segment and each speaker', async () => {
    const { transcript, tracks } = await conversation(said);
    const { segments, speakersSummary, warnings } = analysed(transcript, tracks);
    expect(segments.map(({ sentiment }) => sentiment!.label)).toEqual(['positive', 'negative', 'positive']);
    expect(speakersSummary!.map(({ sentiment }) => sentiment!.label)).toEqual(['negative', 'positive']);
    expect(warnings).toEqual(['before']);
  });

  it('is left out in other languages, and the job says so once', async () => {
    const { transcript, tracks } = await conversation(said, 'de');
    const once = analysed(transcript, tracks);
    const { segments, speakersSummary, warnings } = analysed(once, tracks);
    expect(segments.map(({ sentiment }) => sentiment)).toEqual([null, null, null]);
    expect(speakersSummary!.map(({ sentiment }) => sentiment)).toEqual([null, null]);
    expect(segments[0]!.tone).not.toBeNull();
    expect(warnings).toEqual(['before', expect.stringContaining('English texts only')]);
  });
});

it('what cannot be heard is told, and the transcript stays', async () => {
  const { transcript } = await conversation([{ seconds: 3, hertz: 120 }]);
  const deaf = analysed(transcript, [Buffer.alloc(0)]);
  expect(deaf.segments[0]).toMatchObject({ tone: null, sentiment: { label: 'neutral' } });
  expect(deaf.warnings).toEqual(['before', expect.stringContaining('tone of the voices')]);
  const { analysis, failure } = analysedIfPossible(transcript, [Buffer.from('something else altogether')]);
  expect(failure).toBeInstanceOf(RangeError);
  expect(analysis.segments).toEqual(transcript.segments);
  expect(analysis.warnings).toEqual(['before', 'Tone and sentiment could not be found.']);
});
