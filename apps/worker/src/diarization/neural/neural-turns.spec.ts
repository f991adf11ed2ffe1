import { seededRandom } from '../../audio/synthetic-sound';
import { diarizationErrors } from '../../quality/diarization-error-rate';
import { neuralTurns } from './neural-diarizer';
import { encodeObservation, type Window } from './observation';
import { observed, type Said } from './synthetic-voices';

const collarSeconds = 0.05;
const stored = (windows: readonly Window[], model = 'm') => [encodeObservation({ model, windows })];
const errors = (said: readonly Said[], turns: Awaited<ReturnType<typeof neuralTurns>>) =>
  diarizationErrors(
    said.map(({ person, start, end }) => ({ speaker: person, start, end })),
    turns,
    { collarSeconds },
  ).rate;

/** People who speak in turn, two to four seconds each. */
function conversation(people: number, seconds: number, seed = 7): Said[] {
  const random = seededRandom(seed);
  const said: Said[] = [];
  for (let start = 0.5, person = 0; start < seconds;) {
    const end = start + 2 + 2 * random();
    said.push({ person, start, end });
    start = end + 0.3 + random() / 2;
    person = said.length < people ? person + 1 : (person + 1 + Math.floor(random() * (people - 1))) % people;
  }
  return said;
}

describe('turns from what was heard of voices', () => {
  it.each([1, 2, 3, 4, 7])(
    'finds exactly the %i people that were asked for, at the right times',
    async (people) => {
      const said = people === 1 ? [{ person: 0, start: 1, end: 28 }] : conversation(people, 30 * people);
      const turns = await neuralTurns(stored(observed(said)), { numSpeakers: people });
      expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(people);
      expect(errors(said, turns)).toBeLessThan(0.02);
      expect(turns[0]).toMatchObject({ speaker: 1, start: expect.closeTo(said[0]!.start, 1) as number });
    },
  );

  it('gives turns at the same time to people who speak at the same time', async () => {
    const said = [
      { person: 0, start: 1, end: 8 },
      { person: 1, start: 6, end: 14 },
      { person: 0, start: 15, end: 20 },
    ];
    const turns = await neuralTurns(stored(observed(said)), { numSpeakers: 2 });
    expect(errors(said, turns)).toBeLessThan(0.02);
    expect(turns.map(({ speaker }) => speaker)).toEqual([1, 2, 1]);
    expect(turns[0]!.end - turns[1]!.start).toBeCloseTo(2, 0);
  });

  it('does not split one voice in two when nobody said how many there are, and splits two', async () => {
    const one = observed([{ person: 0, start: 1, end: 60 }]);
    const alone = await neuralTurns(stored(one), { numSpeakers: 2, allowFewer: true });
    expect(new Set(alone.map(({ speaker }) => speaker)).size).toBe(1);
    const two = conversation(2, 60);
    const turns = await neuralTurns(stored(observed(two)), { numSpeakers: 2, allowFewer: true });
    expect(errors(two, turns)).toBeLessThan(0.02);
  });

  it('takes a cough for nobody, and someone who says little for someone where there is nobody else', async () => {
    const cough = [...conversation(2, 60), { person: 9, start: 70, end: 70.5 }];
    const turns = await neuralTurns(stored(observed(cough)), { numSpeakers: 2 });
    expect(errors(cough, turns)).toBeLessThan(0.03);
    const quiet = [
      { person: 0, start: 1, end: 58 },
      { person: 1, start: 60, end: 61.5 },
    ];
    const both = await neuralTurns(stored(observed(quiet)), { numSpeakers: 2 });
    expect(errors(quiet, both)).toBeLessThan(0.02);
  });

  it('keeps two voices of one window apart though they sound alike', async () => {
    // The second voice's embeddings are of the first one's direction: only the segmentation tells them apart.
    const said = [
      { person: 0, start: 0, end: 4 },
      { person: 1, start: 5, end: 9 },
    ];
    const [window] = observed(said, { likeness: 0.9 });
    const like = window!.voices[0]![0]!.embedding!;
    const other = like.map((value, index) => value + (index % 2 ? 0.02 : -0.02));
    const voices = [
      window!.voices[0]!.map((piece) => ({ ...piece, embedding: like })),
      window!.voices[1]!.map((piece) => ({ ...piece, embedding: other })),
    ];
    const turns = await neuralTurns(stored([{ start: 0, voices }]), { numSpeakers: 2 });
    expect(turns.map(({ speaker }) => speaker)).toEqual([1, 2]);
  });

  it('corrects a segmentation that takes two people for one voice', async () => {
    const said = conversation(2, 60);
    const windows = observed(said).map(({ start, voices }) => ({ start, voices: [voices.flat()] }));
    const turns = await neuralTurns(stored(windows), { numSpeakers: 2 });
    expect(errors(said, turns)).toBeLessThan(0.05);
  });

  it('finds nobody where nobody was heard, and as many as there are pieces when more are asked for', async () => {
    expect(await neuralTurns([], { numSpeakers: 2 })).toEqual([]);
    expect(await neuralTurns([Buffer.alloc(0)], { numSpeakers: 2 })).toEqual([]);
    expect(await neuralTurns(stored([{ start: 0, voices: [] }]), { numSpeakers: 2 })).toEqual([]);
    const short = observed([{ person: 0, start: 0, end: 1 }]);
    expect(await neuralTurns(stored(short), { numSpeakers: 3 })).toHaveLength(1);
  });

  it('refuses numbers that make no sense, other bytes and a mixture of models', async () => {
    const windows = observed([{ person: 0, start: 0, end: 1 }]);
    for (const numSpeakers of [0, -1, 1.5, 256])
      await expect(neuralTurns(stored(windows), { numSpeakers })).rejects.toThrow(RangeError);
    const mixture = [...stored(windows, 'a'), ...stored(windows, 'b')];
    await expect(neuralTurns(mixture, { numSpeakers: 2 })).rejects.toThrow(/different speaker models/);
    const [whole] = stored(windows);
    await expect(neuralTurns([whole!.subarray(0, -1)], { numSpeakers: 2 })).rejects.toThrow(RangeError);
    await expect(neuralTurns([Buffer.from('other bytes')], { numSpeakers: 2 })).rejects.toThrow(RangeError);
    await expect(neuralTurns([Buffer.concat([whole!, Buffer.alloc(1)])], { numSpeakers: 2 })).rejects.toThrow(
      RangeError,
    );
  });

  it('puts ten hours together within a minute and 300 MB, lets others work, and stops when told to', async () => {
    const said = conversation(4, 36_000);
    const observations = stored(observed(said));
    expect(observations[0]!.length).toBeLessThan(20_000_000);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const before = process.memoryUsage().rss;
    const cpuBefore = process.cpuUsage();
    const turns = await neuralTurns(observations, { numSpeakers: 4 });
    // Of the processor, so that a busy machine does not count.
    const seconds = process.cpuUsage(cpuBefore).user / 1e6;
    const megabytes = (process.memoryUsage().rss - before) / 1e6;
    clearInterval(timer);
    expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(4);
    const firstMinutes = (turn: { end: number }) => turn.end < 300;
    expect(errors(said.filter(firstMinutes), turns.filter(firstMinutes))).toBeLessThan(0.03);
    expect(seconds).toBeLessThan(60);
    expect(megabytes).toBeLessThan(300);
    expect(ticks).toBeGreaterThan(seconds * 5);
    const signal = AbortSignal.timeout(50);
    await expect(neuralTurns(observations, { numSpeakers: 4, signal })).rejects.toThrow(
      expect.objectContaining({ name: 'TimeoutError' }),
    );
  }, 180_000);
});
