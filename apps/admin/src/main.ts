import { loadConfiguration, natsEnvironment } from '@currawong/config';
import { connectMessaging, Requester, ServiceUnavailable } from '@currawong/messaging';
import { createLogger } from '@currawong/telemetry';
import { COMMANDS, findCommand, usage } from './commands';
import { sentenceFor } from './unanswered';

const CONNECT_WITHIN_MS = 5_000;
/** Standard output is for the answer alone. */
const SILENCE = { write: () => undefined };

/** JSON on standard output and exit 0; or a sentence on standard error and exit 1 (2 for a wrong call). */
async function main(words: string[]): Promise<number> {
  const found = findCommand(COMMANDS, words);
  if (!found.ok) {
    console.error(`${found.problem}\n\n${usage(COMMANDS)}`);
    return 2;
  }
  const { NATS_URL } = loadConfiguration(natsEnvironment);
  const connection = await connectMessaging({
    url: NATS_URL,
    name: 'admin',
    logger: createLogger('admin', SILENCE),
    signal: AbortSignal.timeout(CONNECT_WITHIN_MS),
  }).catch(() => null);
  if (!connection) {
    console.error(
      'The platform cannot be reached. Start it with `npm start`, or set NATS_URL to where it runs.',
    );
    return 1;
  }
  try {
    const result = await found.run(new Requester(connection));
    if (!result.ok) {
      console.error(result.refusal.detail);
      return 1;
    }
    console.log(JSON.stringify(result.value, null, 2));
    return found.failed?.(result.value) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof ServiceUnavailable)) throw error;
    console.error(sentenceFor(error));
    return 1;
  } finally {
    await connection.close();
  }
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(`The command failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);
