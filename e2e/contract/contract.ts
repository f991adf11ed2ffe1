import {
  AddCredit,
  CheckLedger,
  CreateAccount,
  CreateKey,
  RevokeKey,
  ShowJob,
  type KeyMode,
} from '@currawong/contracts';
import { createObjectStore } from '@currawong/object-store';
import { startPlatform, testServers, type TestPlatform } from '@currawong/testing';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { Client, type Answer } from '../client';
import { Operator } from '../operator';
import { wav } from '../recordings';
import { Documented } from './documented';

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Well-formed, and of nobody. */
export const UNKNOWN_ID = '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55';
export const TWO_SECONDS = { name: 'talk.WAV', bytes: wav(2) };
/** Of a file, in this test; the default is proved where the document is. */
export const MAX_FILE_BYTES = 2_000_000;
export const TEST_SECONDS_PER_DAY = 180;

/** A customer's program; every answer that it gets is held against the published document. */
export class ContractClient extends Client {
  constructor(
    baseUrl: string,
    apiKey: string | undefined,
    private readonly documented: Documented,
  ) {
    super(baseUrl, apiKey);
  }

  override send(
    method: string,
    path: string,
    body?: FormData | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.receive(method, path, { ...(body === undefined ? {} : { body }), headers });
  }

  /** As another key, or none, or to another gateway. */
  as(apiKey: string | undefined, baseUrl = this.baseUrl): ContractClient {
    return new ContractClient(baseUrl, apiKey, this.documented);
  }

  json(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(method, path, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers });
  }

  private async receive(method: string, path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      ...init,
      method,
      headers: {
        ...(this.apiKey === undefined ? {} : { 'X-API-Key': this.apiKey }),
        ...(init.headers as Record<string, string>),
      },
    });
    const bytes = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const body = (isJson ? JSON.parse(bytes) : undefined) as Record<string, unknown> | undefined;
    const received = { status: response.status, headers: response.headers, body };
    this.documented.check(method, path, received);
    return { ...received, body: body ?? { text: bytes } };
  }
}

export type Customer = ContractClient & { accountId: string };

interface CustomerOptions {
  freeMinutes?: number;
  creditAud?: string;
  mode?: KeyMode;
}

/** A platform, and who asks it. */
export class Contract {
  customer!: Customer;
  other!: Customer;
  /** Of `customer`, completed. */
  jobId!: string;

  private constructor(
    readonly platform: TestPlatform,
    readonly anyone: ContractClient,
    private readonly operator: Operator,
    private readonly postgres: Postgres,
  ) {}

  static async start(services: readonly string[], env: Record<string, string> = {}): Promise<Contract> {
    const platform = await startPlatform({
      services,
      env: {
        RECOGNIZER: 'null',
        MAX_FILE_BYTES: String(MAX_FILE_BYTES),
        TEST_SECONDS_PER_DAY: String(TEST_SECONDS_PER_DAY),
        ...env,
      },
    });
    const postgres = new Postgres({ connectionString: platform.databaseUrl });
    try {
      await postgres.connect();
      const operator = await Operator.join(platform);
      const documented = await Documented.of(platform.baseUrl);
      const anyone = new ContractClient(platform.baseUrl, undefined, documented);
      const contract = new Contract(platform, anyone, operator, postgres);
      contract.customer = await contract.newCustomer({ creditAud: '12.345678', freeMinutes: 1 });
      contract.other = await contract.newCustomer({ creditAud: '1' });
      return contract;
    } catch (error) {
      await postgres.end();
      await platform.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.operator.leave();
    await this.postgres.end();
    await this.platform.stop();
  }

  /** Somebody with an account of their own, who has nothing unless it is said. */
  async newCustomer({
    freeMinutes = 0,
    creditAud = '0',
    mode = 'live',
  }: CustomerOptions = {}): Promise<Customer> {
    const { api_key, account_id } = await this.operator.ask(CreateAccount, {
      email: `customer-${Math.random().toString(36).slice(2)}@example.com`,
      free_seconds: freeMinutes * 60,
      credit_micro_aud: Math.round(Number(creditAud) * 1_000_000),
      mode,
    });
    return Object.assign(this.anyone.as(api_key), { accountId: account_id });
  }

  /** Another key of an account. */
  async keyOf({ accountId }: Customer, mode: KeyMode = 'live'): Promise<{ id: string; client: Customer }> {
    const wanted = { account_id: accountId, name: 'another', mode };
    const { key_id, api_key } = await this.operator.ask(CreateKey, wanted);
    return { id: key_id, client: Object.assign(this.anyone.as(api_key), { accountId }) };
  }

  async revoke(keyId: string): Promise<void> {
    await this.operator.ask(RevokeKey, { key_id: keyId });
  }

  /** What the jobs service has written down of a job. */
  async recordOf(jobId: string): Promise<Record<string, unknown>> {
    return (await this.operator.ask(ShowJob, { job_id: jobId })).job;
  }

  /** Credit from the operator; its reason is what the statement says. */
  async addCredit(
    { accountId }: Customer,
    microAud: number,
    reason: string,
    reference: string,
  ): Promise<void> {
    await this.operator.ask(AddCredit, {
      account_id: accountId,
      amount_micro_aud: microAud,
      kind: 'adjustment',
      reason,
      reference,
    });
  }

  /** The books, checked by billing itself. */
  checkBooks() {
    return this.operator.ask(CheckLedger, {});
  }

  /** What of the account's recordings is in the store. */
  async recordingsOf({ accountId }: Customer): Promise<string[]> {
    const store = createObjectStore({ ...this.platform.s3 });
    const keys = [];
    for await (const { key } of store.list(`audio/${accountId}/`)) keys.push(key);
    store.close();
    return keys;
  }

  /** Nothing of the account's submissions is left: no job, no hold, no object. */
  async expectNothingLeft(someone: Customer): Promise<void> {
    const { body } = await someone.get('/api/v1/jobs');
    expect(body).toMatchObject({ jobs: [], total: 0 });
    const { open_holds } = await this.platform.admin<{ open_holds: { account_id: string }[] }>(
      'ledger',
      'check',
    );
    expect(open_holds.filter(({ account_id }) => account_id === someone.accountId)).toEqual([]);
    expect(await this.recordingsOf(someone)).toEqual([]);
  }

  async query(sql: string, values: unknown[] = []): Promise<void> {
    await this.postgres.query(sql, values);
  }

  /** While `work` is done, a service breaks at each question: its table is called something else. */
  async whileBroken<T>(table: string, work: () => Promise<T>): Promise<T> {
    await this.query(`ALTER TABLE ${table} RENAME TO out_of_reach`);
    try {
      return await work();
    } finally {
      const [schema, name] = table.split('.');
      await this.query(`ALTER TABLE ${schema}.out_of_reach RENAME TO ${name}`);
    }
  }
}

/** A recording that ffmpeg makes of what these options describe. */
export function made(name: string, ...options: string[]): { name: string; bytes: Uint8Array } {
  const folder = mkdtempSync(join(tmpdir(), 'currawong-contract-'));
  try {
    const target = join(folder, name);
    execFileSync(testServers().tools.ffmpeg, ['-nostdin', '-v', 'error', ...options, '-y', target]);
    return { name, bytes: readFileSync(target) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A quiet recording of so many seconds, small enough for any limit. */
export function quiet(seconds: number): { name: string; bytes: Uint8Array } {
  return made(
    'quiet.flac',
    '-f',
    'lavfi',
    '-i',
    `anullsrc=r=16000:cl=mono:d=${seconds}`,
    '-t',
    String(seconds),
  );
}
