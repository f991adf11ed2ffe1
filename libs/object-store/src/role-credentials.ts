import { readFile } from 'node:fs/promises';
import { StoreUnavailable } from './errors';

/** A role that the token of a workload stands for: on EKS the service account's, mounted into its pod. */
export interface RoleSettings {
  arn: string;
  /** read anew for every exchange: the cluster replaces it before it expires */
  tokenFile: string;
  /** origin of the token service; that of the store's own region unless given, because tokens name customers' buckets */
  tokenServiceUrl?: string | undefined;
}

/** Keys for a while, in the shape in which minio asks for them. */
interface TemporaryKeys {
  getAccessKey(): string;
  getSecretKey(): string;
  getSessionToken(): string;
}

const EXCHANGE_TIMEOUT_MS = 10_000;
/** Before they expire, so that a request under way, or a signed address just given out, is not refused. */
const RENEW_BEFORE_MS = 5 * 60_000;
/** Between two tries, while the keys at hand are still good. */
const RENEW_EVERY_MS = 30_000;

/** Exchanges the workload's token for the keys of its role (AssumeRoleWithWebIdentity), and again before they expire. */
export class RoleCredentials {
  private keys: TemporaryKeys | undefined;
  private expiresAtMs = 0;
  private renewAgainAtMs = 0;
  private exchanging: Promise<TemporaryKeys> | undefined;

  constructor(
    private readonly role: RoleSettings,
    private readonly region: string,
  ) {}

  /**
   * Keys that are good for a while are given at once; they are renewed beside, so that a token service that is slow or down
   * for some minutes holds up nobody. Any number of requests at once make one exchange. @throws StoreUnavailable
   */
  async getCredentials(): Promise<TemporaryKeys> {
    const now = Date.now();
    if (!this.keys || this.expiresAtMs <= now) return this.exchangeOnce();
    if (this.expiresAtMs - now <= RENEW_BEFORE_MS && now >= this.renewAgainAtMs) {
      this.renewAgainAtMs = now + RENEW_EVERY_MS;
      // Whoever needs new keys when those at hand have expired is told why there are none.
      void this.exchangeOnce().catch(() => undefined);
    }
    return this.keys;
  }

  private exchangeOnce(): Promise<TemporaryKeys> {
    return (this.exchanging ??= this.exchange().finally(() => (this.exchanging = undefined)));
  }

  private async exchange(): Promise<TemporaryKeys> {
    const { arn, tokenFile, tokenServiceUrl = `https://sts.${this.region}.amazonaws.com` } = this.role;
    const token = await readFile(tokenFile, 'utf8').catch((error: unknown) => {
      throw new StoreUnavailable(`the token in AWS_WEB_IDENTITY_TOKEN_FILE cannot be read`, false, {
        cause: error,
      });
    });
    const answer = await ask(tokenServiceUrl, {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: arn,
      RoleSessionName: `currawong-${process.pid}`,
      WebIdentityToken: token.trim(),
    });
    const field = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(answer)?.[1]?.trim() ?? '';
    const [accessKey, secretKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map(
      field,
    );
    const expiresAtMs = Date.parse(field('Expiration'));
    if (!accessKey || !secretKey || !sessionToken || !(expiresAtMs > Date.now()))
      throw new StoreUnavailable('the token service gave no keys for the role', false);
    this.expiresAtMs = expiresAtMs;
    this.keys = {
      getAccessKey: () => accessKey,
      getSecretKey: () => secretKey,
      getSessionToken: () => sessionToken,
    };
    return this.keys;
  }
}

/** The token travels in the body: addresses are written to logs. */
async function ask(url: string, parameters: Record<string, string>): Promise<string> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(parameters),
      signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
    });
    [status, text] = [response.status, await response.text()];
  } catch (error) {
    throw new StoreUnavailable('the token service cannot be reached', true, { cause: error });
  }
  if (status === 200) return text;
  const code = /<Code>([A-Za-z]+)<\/Code>/.exec(text)?.[1] ?? `status ${status}`;
  throw new StoreUnavailable(`the token service refuses the role: ${code}`, status >= 500 || status === 429);
}
