import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as contracts from './index';
import { NATS_PERMISSIONS, SERVICES, type ServiceName } from './index';

const root = resolve(__dirname, '../../..');
const services = Object.keys(SERVICES) as ServiceName[];
/** The webhooks process has its source in a folder of the gateway's, which is not part of the gateway. */
const WEBHOOKS_FOLDER = 'webhooks/delivery/';
type Contract = contracts.RequestContract | contracts.StreamMessageContract | contracts.NoticeContract;

const nameOf = new Map<unknown, string>(
  Object.entries(contracts)
    .filter(
      ([, value]) => typeof value === 'object' && value !== null && 'kind' in value && 'subject' in value,
    )
    .map(([name, contract]) => [contract, name]),
);
const names = (list: readonly Contract[]) => list.map((contract) => nameOf.get(contract)).sort();

describe.each(services)('the table of messages says of %s what its source does:', (service) => {
  const source = sourceOf(service);
  const used = mentioned(source);
  const decorated = (decorator: string) =>
    [...source.matchAll(new RegExp(`@${decorator}\\((\\w+)`, 'g'))].map(([, name]) => name as string).sort();
  const table = SERVICES[service];

  test('what it answers, and what it asks', () => {
    expect(names(table.answers)).toEqual(decorated('Answers'));
    const requests = used.filter((name) => contractOf(name).kind === 'request');
    const asked = requests.filter((name) => !decorated('Answers').includes(name));
    expect(names(table.asks)).toEqual(asked);
  });

  test('what it hears, and what it sends', () => {
    expect(names(table.hears)).toEqual(decorated('Hears'));
    const sent = [...source.matchAll(/notices\.send\(\s*(\w+)/g)].map(([, name]) => name as string);
    expect(names(table.sends)).toEqual([...new Set(sent)].sort());
  });

  test('what it consumes under which name, and what it publishes', () => {
    const consumed = [...source.matchAll(/@Consumes\(\{([^}]*)\}/g)].map(([, options = '']) => [
      /durable: '([^']+)'/.exec(options)?.[1],
      [...options.matchAll(/\b[A-Z]\w+\b/g)]
        .map(([name]) => name)
        .filter((name) => name in contracts)
        .sort(),
    ]);
    const listed = Object.entries(table.consumes).map(([durable, list]) => [durable, names(list)]);
    expect(new Map(listed as [string, string[]][])).toEqual(new Map(consumed as [string, string[]][]));
    const others = used.filter(
      (name) => contractOf(name).kind === 'stream' && !consumed.flat(2).includes(name),
    );
    expect(names(table.publishes)).toEqual(others);
  });
});

test('what goes in a circle is complete: who is asked answers, what is published is consumed or kept', () => {
  const all = Object.values(SERVICES);
  for (const { asks } of all) {
    for (const contract of asks)
      expect([contract.subject, all.filter(({ answers }) => answers.includes(contract)).length]).toEqual([
        contract.subject,
        1,
      ]);
  }
  const owned = all.flatMap(({ owns }) => owns).sort();
  expect(owned).toEqual(Object.keys(contracts.STREAMS).sort());
});

test('a worker can neither ask for money or accounts, nor read events, nor make streams, and hears one thing', () => {
  const { publish, subscribe } = NATS_PERMISSIONS.worker;
  expect(publish.allow.filter((subject) => /^(billing|accounts)\./.test(subject))).toEqual([]);
  expect(publish.allow.filter((subject) => subject.includes('EVENTS'))).toEqual([]);
  expect(publish.allow.filter((subject) => subject.includes('API.STREAM'))).toEqual([]);
  expect(subscribe.allow.toSorted()).toEqual(['_INBOX_worker.>', 'jobs.stopped']);
});

test('the gateway can neither capture money nor publish results', () => {
  const { allow } = NATS_PERMISSIONS.gateway.publish;
  expect(allow.filter((subject) => /capture|hold_for|release|^results|^work|^events/.test(subject))).toEqual(
    [],
  );
});

test('the chart has the permissions of this release', () => {
  const path = 'helm/currawong/files/nats-permissions.json';
  const inChart = JSON.parse(readFileSync(join(root, path), 'utf8')) as unknown;
  try {
    expect(inChart).toEqual(NATS_PERMISSIONS);
  } catch (error) {
    const command = `npx nx build contracts && node -p 'JSON.stringify(require("@currawong/contracts").NATS_PERMISSIONS, null, 2)' > ${path}`;
    throw new Error(`${path} is behind libs/contracts. Write it anew:\n  ${command}`, { cause: error });
  }
});

function contractOf(name: string): Contract {
  return (contracts as unknown as Record<string, Contract>)[name]!;
}

/** Contracts that a source names outside of its imports and its types. */
function mentioned(source: string): string[] {
  const code = source
    .replace(/import [^;]*;/g, '')
    .replace(/typeof \w+/g, '')
    .replace(/\/\*[^]*?\*\/|\/\/.*/g, '');
  const known = new Set(nameOf.values());
  return [...new Set(code.match(/\b[A-Z]\w+\b/g))].filter((name) => known.has(name)).sort();
}

function sourceOf(service: ServiceName): string {
  const isWebhooks = service === 'webhooks';
  const folder = join(root, 'apps', isWebhooks ? 'gateway' : service, 'src');
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts') && !/\.(spec|integration\.spec)\.ts$/.test(path))
    .filter((path) => path.startsWith(WEBHOOKS_FOLDER) === isWebhooks)
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}
