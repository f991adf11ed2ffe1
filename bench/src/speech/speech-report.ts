import { shown } from '../figure';
import type { Machine } from '../machine';
import { table } from '../markdown-table';
import type { Summary } from '../statistics';
import type { DiarizerFigures } from './measure-diarizer';
import { costsLittle, type PlatformFigures } from './measure-platform';
import type { RecognizerFigures, TimeFigures } from './measure-recognizer';
import { type PublishedFigure, publishedSpeakers, publishedWords } from './published';

/** An engine that was measured, or why it was not. */
export type Row<Figures> = { readonly engine: string } & (
  { readonly figures: Figures } | { readonly gap: string }
);

export interface SpeechReport {
  readonly begunAt: Date;
  readonly seconds: number;
  readonly rounds: number;
  readonly pairs: number;
  readonly machine: Machine;
  readonly loadBefore: string;
  readonly loadAfter: string;
  /** What was heard, in words, without the path of the folder. */
  readonly recordings: string;
  readonly recognizers: readonly Row<RecognizerFigures>[];
  readonly diarizers: readonly Row<DiarizerFigures>[];
  readonly platform: readonly Row<PlatformFigures>[];
  /** Transcripts whose words could not be laid over the sound, with the reason. */
  readonly notAligned: readonly (readonly [recording: string, reason: string])[];
  readonly regressions: readonly string[];
  readonly comparedWith: string;
}

/** bench/SPEECH.md: figures of this run beside those that others have published. */
export function speechMarkdown(report: SpeechReport): string {
  const { machine, recognizers, diarizers, platform } = report;
  return [
    '# Speech, as measured',
    '',
    'Written by `npm run bench -- speech`; docs/quality.md says what the figures mean.',
    '',
    `- Begun: ${report.begunAt.toISOString()}, took ${Math.round(report.seconds)} s; ${report.rounds} rounds, ${report.pairs} pairs`,
    `- Machine: ${machine.description}`,
    `- Load (one minute) before: ${report.loadBefore}, after: ${report.loadAfter}`,
    `- Versions: ${machine.versions.map(([name, version]) => `${name} ${version}`).join(', ')}`,
    `- Recordings: ${report.recordings}`,
    '',
    '## Words',
    '',
    ...rowsOf(
      ['engine', 'called', 'word error rate', 'substituted', 'missed', 'made up', 'of words'],
      [
        ...recognizers.map((row) =>
          cells(row, ({ name, version, model, words, rate }) => [
            `${name} ${version}${model ? ` (${model})` : ''}`,
            'directly',
            percentRange(rate),
            ...[words.substitutions, words.deletions, words.insertions, words.referenceWords].map(String),
          ]),
        ),
        ...platform.map((row) =>
          cells(row, ({ words }) => [
            row.engine,
            'through the API',
            percent(words.rate),
            ...[words.substitutions, words.deletions, words.insertions, words.referenceWords].map(String),
          ]),
        ),
      ],
    ),
    '## Times of words',
    '',
    'How far the beginning and the end of a word that was heard right are off: the middle, and what 95 of 100 do not exceed.',
    '',
    ...rowsOf(
      ['engine', 'against', 'words', 'begin', 'begin p95', 'end', 'end p95'],
      recognizers.flatMap((row) => [
        cells(row, ({ exact }) => timeCells(row.engine, 'times of the synthesis', exact)),
        ...('figures' in row ? [timeCells(row.engine, 'forced alignment', row.figures.aligned)] : []),
      ]),
    ),
    ...report.notAligned.map(([recording, reason]) => `- ${recording} is not aligned: ${reason}.`),
    ...(report.notAligned.length > 0 ? [''] : []),
    '## Cost',
    '',
    'Real-time factor: seconds of work per second of audio, with decoding; processor: seconds of processor time per second of',
    'audio. Memory: Node, engine and ffmpeg together, at the peak.',
    '',
    ...rowsOf(
      ['engine', 'real-time factor', 'processor', 'memory', 'load'],
      [...recognizers, ...diarizers].map((row: Row<RecognizerFigures | DiarizerFigures>) =>
        cells(row, ({ realTimeFactor, processorFactor, peakMiB, loadSeconds }) => [
          row.engine,
          range(realTimeFactor),
          range(processorFactor),
          `${range(peakMiB)} MiB`,
          `${range(loadSeconds)} s`,
        ]),
      ),
    ),
    '## Through the platform',
    '',
    'The same engine behind the API and called directly, in turns, on a minute of speech: upload to completed beside decoding,',
    'recognition and speaker turns in a process that has the engine loaded. Aim: at most 5 % and 100 ms more, words the same.',
    '',
    ...rowsOf(
      [
        'engine',
        'same words, times, confidence',
        'audio',
        'job',
        'directly',
        'job ÷ directly',
        'beyond 105 %',
        'reached',
      ],
      platform.map((row) =>
        cells(row, (figures) => [
          row.engine,
          `${figures.same} of ${figures.recordings}${figures.different.length > 0 ? ` (not ${figures.different.join(', ')})` : ''}`,
          `${shown(figures.minuteSeconds)} s`,
          `${range(figures.jobSeconds)} s`,
          `${range(figures.directSeconds)} s`,
          range(figures.ratio),
          `${range(figures.beyondMs)} ms`,
          costsLittle(figures) && figures.different.length === 0 ? 'yes' : 'no',
        ]),
      ),
    ),
    '## Speakers',
    '',
    'Diarization error rate, overlap counted, each recording asked for as many speakers as it has; with a collar of 0.25 s, and',
    'missed speech, false alarms and confusion as parts of the rate without one. Jaccard error rate without a collar.',
    '',
    ...rowsOf(
      [
        'diarizer',
        'rate, collar 0.25 s',
        'rate, no collar',
        'missed',
        'false alarm',
        'confused',
        'Jaccard',
        'of speech',
      ],
      diarizers.map((row) =>
        cells(row, ({ name, version, rate, strict }) => [
          `${name} ${version}`,
          percentRange(rate),
          percent(strict.rate),
          ...[strict.missedSeconds, strict.falseAlarmSeconds, strict.confusedSeconds].map((seconds) =>
            percent(seconds / strict.speechSeconds),
          ),
          percent(strict.jaccardRate),
          `${shown(strict.speechSeconds)} s`,
        ]),
      ),
    ),
    '## Recordings',
    '',
    ...perRecording(report),
    '## What others have published',
    '',
    'On their recordings, not on ours: an orientation, not a comparison.',
    '',
    ...published(['Words', publishedWords], ['Speakers', publishedSpeakers]),
    '## Since the last run',
    '',
    report.comparedWith,
    '',
    ...report.regressions.map((sentence) => `- ${sentence}.`),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function cells<Figures>(row: Row<Figures>, of: (figures: Figures) => string[]): string[] {
  return 'figures' in row ? of(row.figures) : [row.engine, `not measured: ${row.gap}`];
}

/** Rows with a reason instead of figures are filled up. */
function rowsOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return ['Nothing was measured.', ''];
  return [
    ...table(
      head,
      rows.map((row) => head.map((_, column) => row[column] ?? '')),
    ),
    '',
  ];
}

function timeCells(engine: string, against: string, figures: TimeFigures | null): string[] {
  if (!figures) return [engine, against, '0'];
  const times = [figures.startMedianMs, figures.startP95Ms, figures.endMedianMs, figures.endP95Ms];
  return [engine, against, String(figures.words), ...times.map((ms) => `${Math.round(ms)} ms`)];
}

function perRecording({ recognizers, diarizers }: SpeechReport): string[] {
  const words = recognizers.flatMap((row) => ('figures' in row ? [row] : []));
  const speakers = diarizers.flatMap((row) => ('figures' in row ? [row] : []));
  const names = [
    ...new Set([...words, ...speakers].flatMap(({ figures }) => figures.recordings.map(({ name }) => name))),
  ];
  const head = [
    ...['recording', 'seconds'],
    ...words.map(({ engine }) => `${engine}: words wrong`),
    ...speakers.flatMap(({ engine }) => [
      `${engine}: speakers found`,
      'rate, collar 0.25 s',
      'rate, no collar',
    ]),
  ];
  const rows = names.map((name) => {
    const inWords = words.map(({ figures }) => figures.recordings.find((one) => one.name === name));
    const inSpeakers = speakers.map(({ figures }) => figures.recordings.find((one) => one.name === name));
    const seconds = [...inWords, ...inSpeakers].find((one) => one !== undefined)!.seconds;
    return [
      ...[name, shown(seconds)],
      ...inWords.map((one) => {
        if (!one) return '–';
        const { substitutions, deletions, insertions, referenceWords, rate } = one.errors;
        return `${substitutions + deletions + insertions} of ${referenceWords} (${percent(rate)})`;
      }),
      ...inSpeakers.flatMap((one) =>
        one
          ? [`${one.found} of ${one.speakers}`, percent(one.collar.rate), percent(one.strict.rate)]
          : ['–', '–', '–'],
      ),
    ];
  });
  return rowsOf(head, rows);
}

function published(...groups: readonly (readonly [string, readonly PublishedFigure[]])[]): string[] {
  return rowsOf(
    ['what', 'system', 'error rate', 'on', 'source'],
    groups.flatMap(([what, figures]) =>
      figures.map(({ system, figure, of, source }) => [what, system, figure, of, source]),
    ),
  );
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : '–';
}

function percentRange({ median, low, high }: Summary): string {
  return low === high ? percent(median) : `${percent(median)} (${percent(low)} – ${percent(high)})`;
}

function range({ median, low, high }: Summary): string {
  if (!Number.isFinite(median)) return '–';
  return low === high ? shown(median) : `${shown(median)} (${shown(low)} – ${shown(high)})`;
}
