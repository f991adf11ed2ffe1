import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryFolder } from './rules';

export const dashboardsFolder = join(repositoryFolder, 'helm', 'currawong', 'files', 'dashboards');

const datasource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('${datasource}') });

const Target = z.strictObject({
  datasource,
  refId: z.string().regex(/^[A-Z]$/),
  expr: z.string().min(1),
  legendFormat: z.string().optional(),
  instant: z.boolean().optional(),
  range: z.boolean().optional(),
  format: z.enum(['time_series', 'table', 'heatmap']).optional(),
  exemplar: z.boolean().optional(),
});

const gridPos = z.strictObject({
  x: z.int().min(0).max(23),
  y: z.int().min(0),
  w: z.int().min(1).max(24),
  h: z.int().min(1),
});

const Row = z.strictObject({
  type: z.literal('row'),
  id: z.int(),
  title: z.string().min(1),
  gridPos,
  collapsed: z.literal(false),
  panels: z.tuple([]),
});

const Panel = z.strictObject({
  type: z.enum(['timeseries', 'stat', 'table', 'bargauge', 'heatmap']),
  id: z.int(),
  title: z.string().min(1),
  description: z.string().endsWith('.'),
  gridPos,
  datasource,
  targets: z.array(Target).min(1),
  fieldConfig: z.strictObject({
    defaults: z.looseObject({ unit: z.string().optional() }),
    overrides: z.array(z.looseObject({})),
  }),
  options: z.looseObject({}),
  transformations: z.array(z.looseObject({ id: z.string() })).optional(),
});

const variable = z.looseObject({
  name: z.string(),
  type: z.enum(['datasource', 'query']),
  label: z.string(),
});

/** Grafana's own format, of the fields that these dashboards use; another field is a slip of the pen. */
const Dashboard = z.strictObject({
  uid: z.string().regex(/^currawong-[a-z-]+$/),
  title: z.string().startsWith('Currawong / '),
  description: z.string().endsWith('.'),
  tags: z.array(z.string()),
  schemaVersion: z.int().min(38),
  version: z.literal(1),
  editable: z.boolean(),
  graphTooltip: z.literal(1),
  refresh: z.string(),
  timezone: z.literal('browser'),
  time: z.strictObject({ from: z.string(), to: z.literal('now') }),
  templating: z.strictObject({ list: z.array(variable) }),
  annotations: z.strictObject({ list: z.array(z.looseObject({})) }),
  links: z.array(z.looseObject({})),
  panels: z.array(z.discriminatedUnion('type', [Row, ...[Panel]])),
});

export type Panel = z.infer<typeof Panel>;
export type Dashboard = z.infer<typeof Dashboard>;

/** The dashboards of the chart, by the name of their file. */
export function readDashboards(): Map<string, Dashboard> {
  return new Map(
    readdirSync(dashboardsFolder).map((name) => [
      name,
      Dashboard.parse(JSON.parse(readFileSync(join(dashboardsFolder, name), 'utf8'))),
    ]),
  );
}

/** The panels that ask something; rows are headings. */
export function panelsOf(dashboard: Dashboard): Panel[] {
  return dashboard.panels.filter((panel): panel is Panel => panel.type !== 'row');
}

/** A query as Grafana would send it, with every value of its variables and of its time range. */
export function withoutVariables(expr: string): string {
  const text = expr
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$__range', '1h')
    .replaceAll('"$namespace"', '".+"')
    .replaceAll('"$job"', '".+"');
  const left = /\$[A-Za-z_{]\w*/.exec(text);
  if (left) throw new Error(`${left[0]} is no variable of these dashboards: ${expr}`);
  return text;
}
