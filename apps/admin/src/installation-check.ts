import { integerVariable, loadConfiguration, natsEnvironment, urlVariable } from '@currawong/config';
import { connectMessaging, Requester } from '@currawong/messaging';
import { createLogger } from '@currawong/telemetry';
import { z } from 'zod';
import { CheckFailure } from './check/check-failure';
import { checkInstallation } from './check/check-installation';

const ASK_WITHIN_MS = 15_000;
const CONNECT_WITHIN_MS = 20_000;

/** What `helm test` runs: prints each step with its time and the transcript; exit 1 and a sentence where a part fails. */
async function main(): Promise<void> {
  const environment = loadConfiguration(
    natsEnvironment.extend({
      BASE_URL: urlVariable(['http', 'https']),
      SAMPLE_PATH: z.string().default('/app/samples/two-voices.ogg'),
      /** below the five minutes that `helm test` waits, so that the sentence is seen */
      CHECK_WITHIN_SECONDS: integerVariable({ min: 10, max: 3_600 }).default(240),
    }),
  );
  const connection = await connectMessaging({
    url: environment.NATS_URL,
    nkeySeed: environment.NATS_NKEY_SEED,
    // The broker knows this user, and lets it hear answers under its name alone.
    name: 'admin',
    logger: createLogger('installation-check', { write: () => undefined }),
    signal: AbortSignal.timeout(CONNECT_WITHIN_MS),
  }).catch((error: unknown) => {
    throw new CheckFailure(
      `The NATS server cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      'Look at the NATS pods, at the seed of the user "admin", and at the NetworkPolicy of this pod',
    );
  });
  const requester = new Requester(connection);
  try {
    await checkInstallation(
      {
        baseUrl: environment.BASE_URL.replace(/\/+$/, ''),
        samplePath: environment.SAMPLE_PATH,
        ask: (contract, payload) => requester.ask(contract, payload, { deadlineMs: ASK_WITHIN_MS }),
        withinSeconds: environment.CHECK_WITHIN_SECONDS,
      },
      (step, outcome) => console.log(`${process.uptime().toFixed(1).padStart(6)} s  ${step}: ${outcome}`),
    );
    console.log('The installation works.');
  } finally {
    await connection.close();
  }
}

main().catch((error: unknown) => {
  const sentence = error instanceof CheckFailure ? `${error.message}. ${error.remedy}.` : error;
  console.error('The installation does not work.', sentence);
  process.exitCode = 1;
});
