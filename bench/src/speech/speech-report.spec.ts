import type { DiarizerFigures } from './measure-diarizer';
import { costsLittle, type PlatformFigures } from './measure-platform';
import type { RecognizerFigures } from './measure-recognizer';
import { speechMarkdown, type SpeechReport } from './speech-report';

const always = (value: number) => ({ median: value, low: value, high: value });
const errors = { substitutions: 2, deletions: 1, insertions: 0, referenceWords: 30, rate: 0.1 };
const spoken = {
  ...{ missedSeconds: 1, falseAlarmSeconds: 0.5, confusedSeconds: 0.5, speechSeconds: 20 },
  ...{ rate: 0.1, jaccardRate: 0.2 },
};

const recognizer: RecognizerFigures = {
  ...{ name: 'moonshine', version: '0.1.0', model: 'tiny-en', words: errors },
  rate: { median: 0.1, low: 0.1, high: 0.12 },
  aligned: { words: 27, startMedianMs: 12, startP95Ms: 50, endMedianMs: 20, endP95Ms: 110 },
  exact: null,
  ...{
    realTimeFactor: always(0.15),
    processorFactor: always(0.25),
    peakMiB: always(400),
    loadSeconds: always(1.5),
  },
  recordings: [{ name: 'dialogue', seconds: 29.5, errors, heard: 'good morning' }],
};
const diarizer: DiarizerFigures = {
  ...{ name: 'mfcc-bic', version: '3', collar: spoken, strict: spoken, rate: always(0.05) },
  ...{
    realTimeFactor: always(0.02),
    processorFactor: always(0.03),
    peakMiB: always(100),
    loadSeconds: always(0),
  },
  recordings: [{ name: 'dialogue', seconds: 29.5, speakers: 2, found: 2, collar: spoken, strict: spoken }],
};
const platform: PlatformFigures = {
  ...{ words: errors, same: 13, recordings: 13, different: [], minuteSeconds: 61 },
  ...{ jobSeconds: always(10), directSeconds: always(9.8), ratio: always(1.02), beyondMs: always(-290) },
};
const report: SpeechReport = {
  ...{ begunAt: new Date('2026-11-21T10:00:00Z'), seconds: 100, rounds: 3, pairs: 5 },
  machine: { description: '2 cores', versions: [['Node', '24']] },
  ...{ loadBefore: '0.10', loadAfter: '1.20', recordings: '12 with a transcript (129 s)' },
  recognizers: [
    { engine: 'moonshine', figures: recognizer },
    { engine: 'http', gap: 'ENGINE_URL does not give the address of a speech server' },
  ],
  diarizers: [{ engine: 'mfcc-bic', figures: diarizer }],
  platform: [{ engine: 'moonshine', figures: platform }],
  notAligned: [['other', 'no pronunciation is known of zxqvw']],
  regressions: ['moonshine word error rate % got worse'],
  comparedWith: 'Worse by more than the noise:',
};
/** Without the blanks that line columns up. */
const lines = (text: string) => text.split('\n').map((line) => line.replaceAll(/ +\|/g, ' |'));

it('shows words, times, cost, speakers and the way through the platform, beside what others published', () => {
  const text = lines(speechMarkdown(report));
  expect(text).toContain(
    '| moonshine 0.1.0 (tiny-en) | directly | 10.0 % (10.0 % – 12.0 %) | 2 | 1 | 0 | 30 |',
  );
  expect(text).toContain('| moonshine | through the API | 10.0 % | 2 | 1 | 0 | 30 |');
  expect(text).toContain('| moonshine | forced alignment | 27 | 12 ms | 50 ms | 20 ms | 110 ms |');
  expect(text).toContain('| moonshine | 0.150 | 0.250 | 400 MiB | 1.50 s |');
  expect(text).toContain('| moonshine | 13 of 13 | 61.0 s | 10.0 s | 9.80 s | 1.02 | -290 ms | yes |');
  expect(text).toContain('| mfcc-bic 3 | 5.0 % | 10.0 % | 5.0 % | 2.5 % | 2.5 % | 20.0 % | 20.0 s |');
  expect(text).toContain('| dialogue | 29.5 | 3 of 30 (10.0 %) | 2 of 2 | 10.0 % | 10.0 % |');
  expect(text.some((line) => line.startsWith('| Words | Moonshine tiny | 4.52 %'))).toBe(true);
  expect(text).toContain('- moonshine word error rate % got worse.');
  expect(text).toContain('- other is not aligned: no pronunciation is known of zxqvw.');
});

it('gives the reason where an engine was not measured', () => {
  const text = lines(speechMarkdown(report)).join('\n');
  expect(text).toContain('| http | not measured: ENGINE_URL does not give the address of a speech server |');
});

it('judges the way through the platform by time and by words', () => {
  expect(costsLittle({ beyondMs: always(100) })).toBe(true);
  expect(costsLittle({ beyondMs: always(101) })).toBe(false);
  const other = { ...platform, same: 12, different: ['dialogue'] };
  const text = lines(speechMarkdown({ ...report, platform: [{ engine: 'moonshine', figures: other }] }));
  expect(text).toContain(
    '| moonshine | 12 of 13 (not dialogue) | 61.0 s | 10.0 s | 9.80 s | 1.02 | -290 ms | no |',
  );
});
