import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ChunkCutter } from '../audio/chunk-plan';
import { decodeToPcm } from '../audio/decode';
import { SAMPLES_PER_SECOND } from '../audio/pcm';
import { joined, silence } from '../audio/synthetic-sound';
import { createDiarizer } from '../diarization/create-diarizer';
import type { Diarizer, TurnsOptions } from '../diarization/diarizer';
import { diarizationErrors, type SpokenTurn } from './diarization-error-rate';
import { corpusFolder, openCorpus, speechPrograms, type CorpusRecording } from './speech-corpus';

jest.setTimeout(300_000);

const corpus = openCorpus();
const modelsFolder = process.env['SPEAKER_MODELS_DIR'] ?? '';
const haveModels = existsSync(join(modelsFolder, 'segmentation.onnx'));
if (!corpus || !haveModels)
  console.warn(`Speakers are not measured: ${corpus ? 'there are no speaker models' : `no ${corpusFolder}`}`);

(corpus && haveModels ? describe : describe.skip)('speakers told apart by trained models', () => {
  const { ffmpegPath, pythonPath, enginesFolder } = speechPrograms();
  let diarizer: Diarizer;
  beforeAll(async () => {
    const say = (line: string) => console.warn(line);
    diarizer = await createDiarizer('neural', { pythonPath, enginesFolder, modelsFolder, say });
  });
  afterAll(() => diarizer.close());

  const named = (name: string) => corpus!.find((recording) => recording.name === name)!;
  const turnsOf = async (pcm: Int16Array, options: TurnsOptions) => {
    const observations: Buffer[] = [];
    for await (const chunk of new ChunkCutter().cut([pcm])) observations.push(await diarizer.observe(chunk));
    return diarizer.turns(observations, options);
  };
  const pcmOf = async ({ path }: CorpusRecording) => {
    const blocks: Int16Array[] = [];
    for await (const block of decodeToPcm({ ffmpegPath, inputPath: path, maxSeconds: 60 }))
      blocks.push(block);
    return joined(...blocks);
  };
  const labels = (turns: readonly { speaker: number }[]) => new Set(turns.map(({ speaker }) => speaker)).size;

  // Twice what was measured at most; the figures are in docs/decisions/0012-speakers.md.
  it.each([
    ['katiesteve', 0.09, 0.02],
    ['tts_slt_awb', 0.08, 0.02],
    ['tts_slt_rms', 0.08, 0.02],
  ])('%s: hardly anything is anyone else’s', async (name, most, mostWithCollar) => {
    const recording = named(name);
    const turns = await turnsOf(await pcmOf(recording), { numSpeakers: 2, allowFewer: true });
    expect(labels(turns)).toBe(2);
    expect(diarizationErrors(recording.turns!, turns, { collarSeconds: 0 }).rate).toBeLessThan(most);
    expect(diarizationErrors(recording.turns!, turns, { collarSeconds: 0.25 }).rate).toBeLessThan(
      mostWithCollar,
    );
  });

  it('far microphones in meetings: about half of the errors that there are without models', async () => {
    const total = { wrong: 0, speech: 0 };
    for (const recording of corpus!.filter(({ name }) => name.startsWith('ami_'))) {
      const turns = await turnsOf(await pcmOf(recording), { numSpeakers: recording.speakers });
      const errors = diarizationErrors(recording.turns!, turns, { collarSeconds: 0 });
      total.wrong += errors.missedSeconds + errors.falseAlarmSeconds + errors.confusedSeconds;
      total.speech += errors.speechSeconds;
    }
    expect(total.speech).toBeGreaterThan(100);
    expect(total.wrong / total.speech).toBeLessThan(0.4);
  });

  it.each([1, 2, 3, 4])(
    'finds %i people in a conversation of so many, in order and at their times',
    async (people) => {
      const { pcm, said } = await conversation(people);
      const turns = await turnsOf(pcm, { numSpeakers: people });
      expect(labels(turns)).toBe(people);
      expect(turns[0]!.speaker).toBe(1);
      expect(diarizationErrors(said, turns, { collarSeconds: 0.25 }).rate).toBeLessThan(0.08);
    },
  );

  it('takes every single voice for one when nobody said how many there are', async () => {
    for (const recording of corpus!.filter(({ speakers, turns }) => speakers === 1 && !turns)) {
      const turns = await turnsOf(await pcmOf(recording), { numSpeakers: 2, allowFewer: true });
      expect([recording.name, labels(turns)]).toEqual([recording.name, 1]);
    }
  });

  /** Voices of different recordings in turn, each clip once. */
  async function conversation(people: number): Promise<{ pcm: Int16Array; said: SpokenTurn[] }> {
    const dialogue = await pcmOf(named('katiesteve'));
    const part = (start: number, seconds: number) =>
      loud(
        dialogue.slice(
          Math.round(start * SAMPLES_PER_SECOND),
          Math.round((start + seconds) * SAMPLES_PER_SECOND),
        ),
      );
    const whole = (...names: string[]) =>
      Promise.all(names.map(async (name) => loud(await pcmOf(named(name)))));
    const voices = [
      await whole('austen_0880', 'austen_0890', 'austen_0870'),
      [part(12.35, 4.16), part(16.74, 3.71), part(21.28, 2.56)],
      await whole('sb_spk1_snt1', 'sb_spk1_snt2', 'sb_spk1_snt3'),
      [part(3.84, 3.6), part(7.6, 3.8)],
    ].slice(0, people);
    const parts: Int16Array[] = [];
    const said: SpokenTurn[] = [];
    let start = 0;
    for (let round = 0; round < 3; round++) {
      voices.forEach((clips, speaker) => {
        const clip = clips[round];
        if (!clip) return;
        const seconds = clip.length / SAMPLES_PER_SECOND;
        said.push({ speaker, start, end: start + seconds });
        parts.push(clip, silence(0.4));
        start += seconds + 0.4;
      });
    }
    return { pcm: joined(...parts), said };
  }
});

/** All clips equally loud, less the quiet at their ends. */
function loud(pcm: Int16Array): Int16Array {
  const most = pcm.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 1);
  const audible = (sample: number) => Math.abs(sample) > most / 20;
  const from = pcm.findIndex(audible);
  const to = pcm.findLastIndex(audible) + 1;
  return pcm.slice(from, to).map((sample) => Math.round((sample / most) * 16_000));
}
