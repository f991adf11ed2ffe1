import { unknownNames } from './unknown-names';

const exported: Record<string, Record<string, string>[]> = {
  currawong_jobs: [
    { state: 'pending', namespace: 'a' },
    { state: 'settling', namespace: 'a' },
  ],
};
const seriesOf = (metric: string) => Promise.resolve(exported[metric] ?? []);

it.each([
  'currawong_jobs',
  'max by (state) (currawong_jobs{namespace="a"})',
  'currawong_jobs{state=~"pend.*|gone", namespace!="b"}',
  'sum(ALERTS{alertname="X"})',
])('%s names what is there', async (expr) => {
  expect(await unknownNames(expr, seriesOf)).toEqual([]);
});

it.each([
  ['sum(currawong_job)', 'nobody exports currawong_job'],
  ['currawong_jobs{stat="pending"}', 'currawong_jobs has no label stat'],
  ['currawong_jobs{state="done"}', 'currawong_jobs has no state="done"'],
  ['currawong_jobs{state=~"pend"}', 'currawong_jobs has no state that matches pend'],
  ['sum by (stage) (currawong_jobs)', 'no metric of the expression has the label stage'],
])('%s is found out: %s', async (expr, problem) => {
  expect(await unknownNames(expr, seriesOf)).toEqual([problem]);
});
