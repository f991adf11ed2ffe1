import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { admin, chart, clientNamespace, cluster, helm, kubectl, release, until } from './cluster';

const folder = join(__dirname, '..', '..', '.currawong', 'cluster-test');

/** Tests ask as often as they like. */
const liftedLimits = Object.fromEntries(
  ['TRANSCRIBE', 'REQUESTS', 'SESSION_REQUESTS', 'FAILURES'].map((what) => [
    `RATE_LIMIT_${what}_PER_MINUTE`,
    '1000000',
  ]),
);

/**
 * Measures everything but the engine: a minute of audio takes three seconds, four pieces at a time. A worker that is told to
 * end has not the time to finish such a minute, so that what it gives back can be seen.
 */
export const withoutEngine = {
  workers: {
    cpu: {
      slots: 4,
      shutdownGraceSeconds: 2,
      settings: { RECOGNIZER: 'null', NULL_ENGINE_SLEEP_FACTOR: '0.05' },
    },
  },
};

/** Something in the pods of every service that a new version would change, too. */
export function changed(word: string) {
  const podAnnotations = { 'currawong.test/version': word };
  const parts = ['gateway', 'webhooks', 'jobs', 'billing', 'admin'].map((part) => [part, { podAnnotations }]);
  return { ...Object.fromEntries(parts), workers: { cpu: { podAnnotations } } } as object;
}

/** The evaluation values and this cluster's images; later ones win. */
export function valuesArguments(...further: readonly object[]): string[] {
  mkdirSync(folder, { recursive: true });
  const own = [
    { region: cluster().region },
    cluster().imageValues,
    { gateway: { settings: liftedLimits } },
    ...further,
  ];
  const files = own.map((values, index) => {
    const path = join(folder, `values-${index}.json`);
    writeFileSync(path, JSON.stringify(values));
    return path;
  });
  return [join(chart, 'values-evaluation.yaml'), ...files].flatMap((path) => ['--values', path]);
}

export function upgrade(...further: readonly object[]): Promise<string> {
  return helm(['upgrade', release, chart, ...valuesArguments(...further), '--wait', '--timeout=180s'], {
    timeoutSeconds: 240,
  });
}

/** @throws where the release is not there, which an earlier file of tests installs */
export async function requireInstalled(): Promise<void> {
  const { info } = JSON.parse(await helm(['status', release, '--output=json'])) as {
    info: { status: string };
  };
  if (info.status !== 'deployed')
    throw new Error(`The release is ${info.status}: its installation has failed.`);
}

interface Answer {
  status: number;
  text: string;
}

export interface Job {
  id: string;
  status: string;
  transcription: string | null;
  diarization: string | null;
  error_message: string | null;
  cost_aud: number | null;
}

/** Does something as the customer of these tests, from a pod in another namespace. */
export async function customer<T>(command: string, ...words: string[]): Promise<T> {
  const text = await kubectl(
    [
      '--namespace',
      clientNamespace,
      'exec',
      'customer',
      '--',
      'node',
      '/client/customer.mjs',
      command,
      ...words,
    ],
    { timeoutSeconds: 400 },
  );
  return JSON.parse(text) as T;
}

/** @returns the id of the job; a refusal fails the test */
export async function submitted(command: string, ...words: string[]): Promise<string> {
  const { status, text } = await customer<Answer>(command, ...words);
  if (status !== 200) throw new Error(`The submission was answered ${status}: ${text}`);
  return (JSON.parse(text) as { job_id: string }).job_id;
}

export function finishedJobs(ids: readonly string[], withinSeconds: number): Promise<Job[]> {
  return customer<Job[]>('finished', String(withinSeconds), ...ids);
}

/** All holds are settled within moments of the last job's end. */
export async function booksAreRight(): Promise<void> {
  const books = await until(
    'no hold is open',
    async () => {
      const found = await admin<{ problems: string[]; open_holds: unknown[] }>('ledger', 'check');
      return found.problems.length > 0 || found.open_holds.length === 0 ? found : undefined;
    },
    60,
  );
  expect(books.problems).toEqual([]);
}
