import { findPrometheus, prometheusRemedy } from '@currawong/local-platform';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { parsePromql } from '../observability/promql';
import { isAlert, readRules, repositoryFolder, ruleFiles, rulesFolder } from '../observability/rules';
import { runbookQueries, runbooksFolder } from '../observability/runbooks';

jest.setTimeout(120_000);

const testsFolder = join(__dirname, 'rules');
const alerts = readRules().filter(isAlert);
const tools = findPrometheus(join(repositoryFolder, '.currawong'));
const describeWithPromtool = tools
  ? describe
  : (console.warn(`Skipped: there is no Prometheus; ${prometheusRemedy}.`), describe.skip);

interface RuleTest {
  alert_rule_test?: { alertname: string; eval_time: string; exp_alerts?: unknown[] }[];
}
const testFiles = readdirSync(testsFolder).map((name) => join(testsFolder, name));
const checks = testFiles.flatMap((path) =>
  (parse(readFileSync(path, 'utf8')) as { tests: RuleTest[] }).tests.flatMap(
    (test) => test.alert_rule_test ?? [],
  ),
);

function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(tools!.promtool, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describeWithPromtool('promtool', () => {
  it.each(ruleFiles().map((path) => basename(path)))('finds nothing wrong with %s', (name) => {
    const { status, output } = promtool(
      'check',
      'rules',
      '--lint=all',
      '--lint-fatal',
      join(rulesFolder, name),
    );
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });

  it.each(testFiles.map((path) => basename(path)))('sees every alert of %s fire and fall silent', (name) => {
    const { status, output } = promtool('test', 'rules', join(testsFolder, name));
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });

  it('a rule whose threshold was moved fails its test', () => {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-rules-'));
    try {
      const rules = readFileSync(join(rulesFolder, 'money.yaml'), 'utf8');
      const moved = rules.replace('(currawong_hold_differences) > 0', '(currawong_hold_differences) > 1');
      expect(moved).not.toBe(rules);
      writeFileSync(join(folder, 'money.yaml'), moved);
      const test = readFileSync(join(testsFolder, 'money.test.yaml'), 'utf8');
      writeFileSync(join(folder, 'test.yaml'), test.replace(/- .*money\.yaml/, '- money.yaml'));
      const { status, output } = promtool('test', 'rules', join(folder, 'test.yaml'));
      expect(status).toBe(1);
      expect(output).toContain('FAILED');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('every alert', () => {
  it.each(alerts.map(({ alert }) => alert))('%s is tested to fire and to stay silent afterwards', (name) => {
    const own = checks.filter(({ alertname }) => alertname === name);
    expect(own.some(({ exp_alerts }) => exp_alerts?.length)).toBe(true);
    expect(own.filter(({ exp_alerts }) => !exp_alerts?.length).length).toBeGreaterThanOrEqual(2);
  });

  it('has a name of its own, and no test is of an alert that is gone', () => {
    const names = alerts.map(({ alert }) => alert);
    expect(names).toHaveLength(new Set(names).size);
    expect(checks.map(({ alertname }) => alertname).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('runbooks', () => {
  const pages = readdirSync(runbooksFolder).filter((name) => name !== 'README.md');
  const values = parse(
    readFileSync(join(repositoryFolder, 'helm', 'currawong', 'values.yaml'), 'utf8'),
  ) as unknown;
  const commands = [
    ...readFileSync(join(repositoryFolder, 'apps', 'admin', 'src', 'commands.ts'), 'utf8').matchAll(
      /words: '([a-z ]+)'/g,
    ),
  ].map(([, words]) => words);
  const sections = [
    'What it means for customers',
    'First look',
    'Likely causes and what to do',
    'What never to do',
    'When to wake whom',
    'It is over when',
  ];

  it.each(alerts.map(({ alert, annotations }) => [alert, annotations.runbook]))(
    '%s has one that names it: %s',
    (alert, runbook) => {
      expect(readFileSync(join(repositoryFolder, runbook), 'utf8')).toContain(`\`${alert}\``);
    },
  );

  it('each is of an alert', () => {
    const used = new Set(alerts.map(({ annotations }) => basename(annotations.runbook)));
    expect(pages.filter((name) => !used.has(name))).toEqual([]);
  });

  it.each(pages)('%s answers what somebody on call asks', (name) => {
    const text = readFileSync(join(runbooksFolder, name), 'utf8');
    expect([...text.matchAll(/^## (.*)$/gm)].map((heading) => heading[1])).toEqual(sections);
  });

  it.each(pages)('%s asks for commands and values that there are', (name) => {
    const text = readFileSync(join(runbooksFolder, name), 'utf8');
    for (const [, command] of text.matchAll(/\badmin ([a-z]+ [a-z]+)/g)) expect(commands).toContain(command);
    for (const [, deployment] of text.matchAll(/deploy\/currawong-([a-z-]+)/g)) {
      expect(['gateway', 'webhooks', 'jobs', 'billing', 'worker-cpu', 'worker-gpu', 'admin']).toContain(
        deployment,
      );
    }
    for (const [, path] of text.matchAll(/`((?:gateway|jobs|billing|workers)(?:\.[A-Za-z]+)+)`/g)) {
      const value = path!
        .split('.')
        .reduce((at: unknown, key) => (at as Record<string, unknown>)?.[key], values);
      expect(`${path} ${value === undefined ? 'is no value of the chart' : 'is there'}`).toBe(
        `${path} is there`,
      );
    }
    for (const query of runbookQueries(text)) expect(() => parsePromql(query)).not.toThrow();
    for (const [, link] of text.matchAll(/\]\(([a-z-]+\.md)/g))
      expect([...pages, 'README.md']).toContain(link);
  });

  it('are listed, with their severities', () => {
    const list = readFileSync(join(runbooksFolder, 'README.md'), 'utf8');
    for (const { alert, labels, annotations } of alerts) {
      const line = `| \`${alert}\` | ${labels.severity} | [${basename(annotations.runbook, '.md')}](${basename(annotations.runbook)}) |`;
      expect(list).toContain(line);
    }
  });
});
