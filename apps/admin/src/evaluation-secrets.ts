import { loadConfiguration } from '@currawong/config';
import { NATS_PERMISSIONS } from '@currawong/contracts';
import { z } from 'zod';
import { ensureEvaluationSecrets } from './evaluation/ensure-secrets';
import { accessFromPod, ClusterRefusal, SecretsApi } from './evaluation/secrets-api';

/** Before an evaluation release is installed or upgraded: makes the Secrets that it refers to, where they are missing. */
async function main(): Promise<void> {
  const environment = loadConfiguration(
    z.object({
      RELEASE_FULLNAME: z.string(),
      RELEASE_NAME: z.string().optional(),
      NAMESPACE: z.string(),
      POSTGRES_HOST: z.string(),
    }),
  );
  const { RELEASE_FULLNAME: fullname, RELEASE_NAME: release = fullname } = environment;
  const api = new SecretsApi(accessFromPod(environment.NAMESPACE));
  let changes = 0;
  await ensureEvaluationSecrets(
    api,
    { fullname, release, postgresHost: environment.POSTGRES_HOST, permissions: NATS_PERMISSIONS },
    (sentence) => {
      changes += 1;
      console.log(sentence);
    },
  );
  if (changes === 0) console.log(`The Secrets of ${fullname} are there and up to date.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof ClusterRefusal ? error.message : error);
  process.exitCode = 1;
});
