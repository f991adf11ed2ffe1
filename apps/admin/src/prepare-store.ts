import { integerVariable, loadConfiguration, storeEnvironment } from '@currawong/config';
import { createObjectStore, objectStoreSettings, StoreUnavailable } from '@currawong/object-store';
import { prepareStore } from './prepare/prepare-store';

/** Waits for the store of an evaluation installation and makes its bucket; exit 1 and a sentence where that fails. */
async function main(): Promise<void> {
  const environment = loadConfiguration(
    storeEnvironment.extend({ WAIT_SECONDS: integerVariable({ min: 1, max: 3_600 }).default(240) }),
  );
  const store = createObjectStore(objectStoreSettings(environment));
  try {
    const made = await prepareStore(store, environment.WAIT_SECONDS * 1_000);
    console.log(
      `The bucket ${environment.S3_BUCKET} ${made ? 'was made' : 'is there'}, and it can be written to.`,
    );
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    console.error(
      `The bucket ${environment.S3_BUCKET} at ${environment.S3_ENDPOINT} could not be prepared within ` +
        `${environment.WAIT_SECONDS} s. ${error.message}. Look at the log of the store, and whether a ` +
        'NetworkPolicy lets this pod reach it.',
    );
    process.exitCode = 1;
  } finally {
    store.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
