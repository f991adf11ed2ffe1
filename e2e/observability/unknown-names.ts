import { parsePromql, type Matcher } from './promql';

type Labels = Record<string, string>;

/** Series that Prometheus makes by itself, and only while there is something to say. */
const MADE_BY_PROMETHEUS = ['ALERTS'];

/**
 * What an expression names that nobody exports: a metric, a label of it, or a value of that label.
 * @param seriesOf the label sets of all series of a metric, without the name; [] where there is none
 * @returns one sentence for each, [] where all of it is there
 */
export async function unknownNames(
  expr: string,
  seriesOf: (metric: string) => Promise<Labels[]>,
): Promise<string[]> {
  const { selectors, groupingLabels } = parsePromql(expr);
  const problems: string[] = [];
  const labels = new Set<string>();
  for (const { metric, matchers } of selectors) {
    if (MADE_BY_PROMETHEUS.includes(metric)) continue;
    const series = await seriesOf(metric);
    if (series.length === 0) problems.push(`nobody exports ${metric}`);
    for (const one of series) Object.keys(one).forEach((label) => labels.add(label));
    if (series.length > 0) {
      problems.push(...matchers.flatMap((matcher) => unknownOf(matcher, series, metric)));
    }
  }
  const made = new Set([...expr.matchAll(/label_replace\([^"]*"(\w+)"/g)].map(([, label]) => label!));
  for (const label of groupingLabels) {
    if (problems.length === 0 && !labels.has(label) && !made.has(label)) {
      problems.push(`no metric of the expression has the label ${label}`);
    }
  }
  return problems;
}

/** A value that is excluded need not be there; one that is asked for must. */
function unknownOf({ label, operator, value }: Matcher, series: Labels[], metric: string): string[] {
  const values = series.flatMap((one) => one[label] ?? []);
  if (values.length === 0) return [`${metric} has no label ${label}`];
  if (operator === '=' && !values.includes(value)) return [`${metric} has no ${label}="${value}"`];
  const pattern = new RegExp(`^(?:${value})$`);
  if (operator === '=~' && !values.some((one) => pattern.test(one)))
    return [`${metric} has no ${label} that matches ${value}`];
  return [];
}
