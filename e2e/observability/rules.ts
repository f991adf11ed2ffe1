import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const repositoryFolder = join(__dirname, '..', '..');
export const rulesFolder = join(repositoryFolder, 'helm', 'currawong', 'files', 'rules');

const Alert = z.strictObject({
  alert: z.string().regex(/^Currawong[A-Za-z]+$/),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']), service: z.string().min(1) }),
  annotations: z.strictObject({
    summary: z.string().endsWith('.'),
    description: z.string().endsWith('.'),
    runbook: z.string().regex(/^docs\/runbooks\/[a-z-]+\.md$/),
  }),
});
const Recording = z.strictObject({ record: z.string(), expr: z.string() });
const RuleFile = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string().startsWith('currawong-'),
      rules: z.array(z.union([Alert, Recording])),
    }),
  ),
});

export type Alert = z.infer<typeof Alert>;
export type Rule = Alert | z.infer<typeof Recording>;

/** The files that the chart makes PrometheusRules of, as absolute paths. */
export function ruleFiles(): string[] {
  return readdirSync(rulesFolder).map((name) => join(rulesFolder, name));
}

/** @throws where a file has another form than the chart and the runbooks rely on */
export function readRules(paths: readonly string[] = ruleFiles()): Rule[] {
  return paths.flatMap((path) =>
    RuleFile.parse(parse(readFileSync(path, 'utf8'))).groups.flatMap((group) => group.rules),
  );
}

export function isAlert(rule: Rule): rule is Alert {
  return 'alert' in rule;
}
