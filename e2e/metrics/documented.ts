import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Documented {
  name: string;
  type: string;
  labels: string[];
  /** all stands for every one of them */
  exporters: string[];
}

const SERVICES = ['gateway', 'webhooks', 'jobs', 'billing', 'worker'];
const PAGE = join(__dirname, '..', '..', 'docs', 'metrics.md');

/** The rows of docs/metrics.md: metric, type, labels, unit, exported by, meaning. */
export function documentedMetrics(): Documented[] {
  return readFileSync(PAGE, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .flatMap(([, metric = '', type = '', labels = '', , exporters = '']) => {
      const name = /^`(\w+)`/.exec(metric)?.[1];
      if (name === undefined) return [];
      const services = exporters === 'all' ? SERVICES : exporters.split(' ');
      return [{ name, type, labels: namesIn(labels), exporters: services }];
    });
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!).sort();
}
