/** Who spoke when, as a reference or a diarizer says; turns of different speakers may overlap. */
export interface SpokenTurn {
  readonly start: number;
  readonly end: number;
  readonly speaker: string | number;
}

export interface DiarizationErrors {
  readonly missedSeconds: number;
  readonly falseAlarmSeconds: number;
  readonly confusedSeconds: number;
  /** Reference speech that was scored; overlapping speakers count each. */
  readonly speechSeconds: number;
  /** The three errors together per second of speech; can exceed 1. */
  readonly rate: number;
}

/**
 * Diarization error rate as NIST's md-eval defines it (Rich Transcription evaluation plan 2009): overlap is
 * scored, speakers are matched one to one in the way that gives the least error, and `collarSeconds` on both
 * sides of every reference boundary are left out.
 */
export function diarizationErrors(
  reference: readonly SpokenTurn[],
  hypothesis: readonly SpokenTurn[],
  { collarSeconds }: { readonly collarSeconds: number },
): DiarizationErrors {
  const pieces = scoredPieces(reference, hypothesis, collarSeconds);
  const match = bestMatch(pieces);
  let missedSeconds = 0;
  let falseAlarmSeconds = 0;
  let confusedSeconds = 0;
  let speechSeconds = 0;
  for (const { seconds, said, heard } of pieces) {
    const right = [...said].filter((speaker) => heard.has(match.get(speaker) ?? NOBODY)).length;
    speechSeconds += seconds * said.size;
    missedSeconds += seconds * Math.max(0, said.size - heard.size);
    falseAlarmSeconds += seconds * Math.max(0, heard.size - said.size);
    confusedSeconds += seconds * (Math.min(said.size, heard.size) - right);
  }
  const wrongSeconds = missedSeconds + falseAlarmSeconds + confusedSeconds;
  const rate = speechSeconds > 0 ? wrongSeconds / speechSeconds : wrongSeconds > 0 ? Infinity : 0;
  return { missedSeconds, falseAlarmSeconds, confusedSeconds, speechSeconds, rate };
}

/** Reads `SPEAKER file channel start duration <NA> <NA> name …` lines; others are skipped. */
export function parseRttm(text: string): SpokenTurn[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[0] === 'SPEAKER')
    .map((fields) => {
      const start = Number(fields[3]);
      return { start, end: start + Number(fields[4]), speaker: fields[7] ?? '' };
    });
}

type Speaker = string | number;
const NOBODY = Symbol('nobody') as unknown as Speaker;

/** A stretch within which nobody begins or stops. */
interface Piece {
  readonly seconds: number;
  readonly said: ReadonlySet<Speaker>;
  readonly heard: ReadonlySet<Speaker>;
}

function scoredPieces(
  reference: readonly SpokenTurn[],
  hypothesis: readonly SpokenTurn[],
  collar: number,
): Piece[] {
  const unscored = reference.flatMap(({ start, end }) =>
    [start, end].map((edge) => ({ start: edge - collar, end: edge + collar })),
  );
  const edges = [...reference, ...hypothesis, ...unscored].flatMap(({ start, end }) => [start, end]);
  const times = [...new Set(edges)].sort((a, b) => a - b);
  const speakersAt = (turns: readonly SpokenTurn[], time: number) =>
    new Set(turns.filter(({ start, end }) => start <= time && time < end).map(({ speaker }) => speaker));
  return times.slice(1).flatMap((end, index) => {
    const start = times[index]!;
    const middle = (start + end) / 2;
    if (unscored.some((zone) => zone.start <= middle && middle < zone.end)) return [];
    const said = speakersAt(reference, middle);
    const heard = speakersAt(hypothesis, middle);
    return said.size + heard.size > 0 ? [{ seconds: end - start, said, heard }] : [];
  });
}

/** Reference speaker → hypothesis speaker with the most time in common, over all ways to pair them. */
function bestMatch(pieces: readonly Piece[]): Map<Speaker, Speaker> {
  const saidBy = [...new Set(pieces.flatMap(({ said }) => [...said]))];
  const heardAs = [...new Set(pieces.flatMap(({ heard }) => [...heard]))];
  const common = saidBy.map((speaker) =>
    heardAs.map((other) =>
      pieces.reduce(
        (sum, { seconds, said, heard }) => sum + (said.has(speaker) && heard.has(other) ? seconds : 0),
        0,
      ),
    ),
  );
  // Dynamic programming over subsets of the hypothesis speakers: exact, and fast for the ten that can be asked for.
  const known = new Map<string, { seconds: number; pairs: [number, number][] }>();
  const best = (index: number, taken: number): { seconds: number; pairs: [number, number][] } => {
    if (index === saidBy.length) return { seconds: 0, pairs: [] };
    const key = `${index}:${taken}`;
    const before = known.get(key);
    if (before) return before;
    let choice = best(index + 1, taken);
    heardAs.forEach((_, other) => {
      if (taken & (1 << other)) return;
      const rest = best(index + 1, taken | (1 << other));
      const seconds = rest.seconds + common[index]![other]!;
      if (seconds > choice.seconds) choice = { seconds, pairs: [[index, other], ...rest.pairs] };
    });
    known.set(key, choice);
    return choice;
  };
  return new Map(best(0, 0).pairs.map(([said, heard]) => [saidBy[said]!, heardAs[heard]!]));
}
