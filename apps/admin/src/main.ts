import { loadConfiguration, natsEnvironment } from '@currawong/config';
import { BrokerRefusal, connectMessaging, Requester, ServiceUnavailable } from '@currawong/messaging';
import { createLogger } from '@currawong/telemetry';
import { basename } from 'node:path';
import { COMMANDS, findCommand, usage } from './commands';
import { sentenceFor } from './unanswered';

const CONNECT_WITHIN_MS = 5_000;
/** How this program was called: by the name under which an image has it, or by npm. */
const PROGRAM =
  basename(process.argv[1] ?? '') === 'currawong-admin' ? 'currawong-admin' : 'npm run admin --';
/** Standard output is for the answer alone. */
const SILENCE = { write: () => undefined };

/** JSON (or the usage, where asked for) on standard output and exit 0; or a sentence on standard error and exit 1 (2 for a wrong call). */
async function main(words: string[]): Promise<number> {
  if (['help', '--help'].includes(words[0] ?? '')) {
    console.log(usage(COMMANDS, PROGRAM));
    return 0;
  }
  const found = findCommand(COMMANDS, words);
  if (!found.ok) {
    console.error(`${found.problem}\n\n${usage(COMMANDS, PROGRAM)}`);
    return 2;
  }
  const { NATS_URL, NATS_NKEY_SEED } = loadConfiguration(natsEnvironment);
  const connection = await connectMessaging({
    url: NATS_URL,
    nkeySeed: NATS_NKEY_SEED,
    name: 'admin',
    logger: createLogger('admin', SILENCE),
    signal: AbortSignal.timeout(CONNECT_WITHIN_MS),
  }).catch((error: unknown) => (error instanceof BrokerRefusal ? error : null));
  if (connection instanceof BrokerRefusal) {
    console.error(connection.message);
    return 1;
  }
  if (!connection) {
    console.error(
      'The message broker cannot be reached at NATS_URL. On one machine, start the platform with `npm start`; ' +
        'in a cluster, look whether the NATS pods are ready and the NetworkPolicy lets this pod reach them.',
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
