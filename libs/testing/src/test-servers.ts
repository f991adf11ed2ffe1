import type { ObjectStoreAddress, Tools } from '@currawong/local-platform';

/** Where the tests of one run find their servers, and the programs that the services need. */
export interface TestServers {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly s3: ObjectStoreAddress;
  readonly tools: Tools;
  /** Tells this run's databases from those of an earlier one. */
  readonly run: string;
  /** The NATS server was named by the environment: tests share it instead of starting their own. */
  readonly natsIsGiven: boolean;
}

export const testServersVariable = 'CURRAWONG_TEST_SERVERS';

/** The servers of this run; made by the global set-up of jest, or by `npm test` above it. */
export function testServers(env: NodeJS.ProcessEnv = process.env): TestServers {
  const text = env[testServersVariable];
  if (!text)
    throw new Error(
      `${testServersVariable} is not set: run this test with jest from the root of the repository.`,
    );
  return JSON.parse(text) as TestServers;
}

export function areTestServersUp(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env[testServersVariable]);
}
