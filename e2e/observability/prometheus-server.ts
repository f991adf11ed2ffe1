import { findPrometheus, pickPorts, prometheusRemedy } from '@currawong/local-platform';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { repositoryFolder, ruleFiles } from './rules';

const programs = findPrometheus(join(repositoryFolder, '.currawong'));

/** Runs the tests where there is a Prometheus; else reports them as skipped, and says why. */
export const describeWithPrometheus = programs
  ? describe
  : (console.warn(`Skipped: there is no Prometheus; ${prometheusRemedy}.`), describe.skip);

export type Labels = Record<string, string>;

/** A sample of an instant query; a scalar has no labels. */
export interface Sample {
  labels: Labels;
  value: number;
}

export interface EvaluatedRule {
  name: string;
  health: 'ok' | 'err' | 'unknown';
  lastError?: string;
}

/** A real Prometheus that reads every service each second and evaluates the rules of the chart as often. */
export class PrometheusServer {
  private constructor(
    private readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** @param metricsUrls addresses of the services' operations servers, by name */
  static async start(metricsUrls: Readonly<Record<string, string>>): Promise<PrometheusServer> {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-prometheus-'));
    const { prometheus: port } = await pickPorts(['prometheus'], {});
    const configuration = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ruleFiles(),
      scrape_configs: [
        {
          job_name: 'currawong',
          // The labels that a PodMonitor gives.
          static_configs: Object.entries(metricsUrls).map(([name, url]) => ({
            targets: [new URL(url).host],
            labels: { namespace: 'currawong', pod: `currawong-${name}-1`, container: name },
          })),
        },
      ],
    };
    writeFileSync(join(folder, 'prometheus.yaml'), stringify(configuration));
    const child = spawn(
      programs!.prometheus,
      [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--enable-feature=exemplar-storage',
        '--log.level=warn',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const ended = once(child, 'exit');
    const server = new PrometheusServer(`http://127.0.0.1:${port}`, async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    });
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(100)) {
      if (child.exitCode !== null) throw new Error(`Prometheus ended with exit code ${child.exitCode}.`);
      const ready = await fetch(`${server.url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready) return server;
    }
    await server.stop();
    throw new Error('Prometheus did not become ready within 30 s.');
  }

  /** @throws with Prometheus' own words where it refuses the query */
  async query(expr: string): Promise<Sample[]> {
    const { resultType, result } = await this.get<
      | { resultType: 'vector'; result: { metric: Labels; value: [number, string] }[] }
      | { resultType: 'scalar'; result: [number, string] }
    >('query', { query: expr });
    if (resultType === 'scalar') return [{ labels: {}, value: Number(result[1]) }];
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  /** The label sets of all series that a metric had so far; [] where it is not known. */
  async series(metric: string): Promise<Labels[]> {
    const start = String(Math.floor(Date.now() / 1000) - 3600);
    return this.get('series', { 'match[]': `{__name__="${metric}"}`, start });
  }

  async rules(): Promise<EvaluatedRule[]> {
    const { groups } = await this.get<{ groups: { rules: EvaluatedRule[] }[] }>('rules', {});
    return groups.flatMap((group) => group.rules);
  }

  /** Labels of the exemplars of the last hour. */
  async exemplars(expr: string): Promise<Labels[]> {
    const now = Math.ceil(Date.now() / 1000);
    const found = await this.get<{ exemplars: { labels: Labels }[] }[]>('query_exemplars', {
      query: expr,
      start: String(now - 3600),
      end: String(now),
    });
    return found.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels));
  }

  private async get<T>(what: string, parameters: Record<string, string>): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${what}?${new URLSearchParams(parameters).toString()}`);
    const answer = (await response.json()) as { status: string; data: T; error?: string };
    if (answer.status !== 'success') throw new Error(`${answer.error}: ${parameters['query'] ?? what}`);
    return answer.data;
  }
}
