import { rolesSql, type SubjectPermissions } from '@currawong/contracts';
import { natsAuthorization, newDatabaseUrls, newNatsSeeds, newPassword, newStoreKeys } from './credentials';
import { ClusterRefusal, type SecretsApi, type SecretValues } from './secrets-api';

export interface EvaluationRelease {
  /** Begins the names of the release's objects. */
  fullname: string;
  /** The name that was given to `helm install`. */
  release: string;
  postgresHost: string;
  /** The users of NATS and what each may do. */
  permissions: Readonly<Record<string, SubjectPermissions>>;
}

/**
 * Makes the Secrets of an evaluation installation. A random value, once made, is never replaced; a key that a newer version
 * adds is added. What the servers read (`<fullname>-evaluation`) is derived from the others and comes last, so that
 * a run which was ended in the middle is completed by the next one, and everything fits together whenever a run succeeds.
 * @param report told of each change, in a sentence
 * @throws ClusterRefusal
 */
export async function ensureEvaluationSecrets(
  api: SecretsApi,
  { fullname, release, postgresHost, permissions }: EvaluationRelease,
  report: (sentence: string) => void,
): Promise<void> {
  const labels = {
    'app.kubernetes.io/name': 'currawong',
    'app.kubernetes.io/instance': release,
    'app.kubernetes.io/component': 'secrets',
    'app.kubernetes.io/part-of': 'currawong',
    // Not Helm: these outlive the release, as the data that they open does.
    'app.kubernetes.io/managed-by': 'currawong-evaluation',
  };

  /** The Secret with at least these keys; of `fresh` only what is missing is kept. */
  const ensure = async (name: string, fresh: SecretValues): Promise<SecretValues> => {
    const found = await api.read(name);
    if (!found) {
      if (await api.create(name, labels, fresh)) {
        report(`Made the Secret ${name}.`);
        return fresh;
      }
      // Another run was faster: its values count.
      return ensure(name, fresh);
    }
    const missing = Object.keys(fresh).filter((key) => !found[key]);
    if (missing.length === 0) return found;
    const added = Object.fromEntries(missing.map((key) => [key, fresh[key] ?? '']));
    await api.merge(name, added);
    report(`Added ${missing.join(', ')} to the Secret ${name}.`);
    return { ...found, ...added };
  };

  const databases = await ensure(`${fullname}-databases`, newDatabaseUrls(postgresHost));
  const nats = await ensure(`${fullname}-nats`, newNatsSeeds(Object.keys(permissions)));
  await ensure(`${fullname}-store`, newStoreKeys());

  const derived = {
    'roles.sql': fromSecret(`${fullname}-databases`, () => rolesSql(databases)),
    'nats-authorization.conf': fromSecret(`${fullname}-nats`, () => natsAuthorization(nats, permissions)),
  };
  const name = `${fullname}-evaluation`;
  const evaluation = await ensure(name, { 'postgres-password': newPassword(), ...derived });
  const changed = Object.entries(derived).filter(([key, value]) => evaluation[key] !== value);
  if (changed.length === 0) return;
  await api.merge(name, Object.fromEntries(changed));
  report(`Brought ${changed.map(([key]) => key).join(', ')} of the Secret ${name} up to date.`);
}

function fromSecret(name: string, derive: () => string): string {
  try {
    return derive();
  } catch (error) {
    throw new ClusterRefusal(
      `The Secret ${name} holds something unusable (${error instanceof Error ? error.message : String(error)}). ` +
        'Mend it, or delete it and upgrade the release: it is then made anew.',
    );
  }
}
