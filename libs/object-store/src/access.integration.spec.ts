import { freshBucket, objectStoreClient, type FreshBucket } from '@currawong/testing';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStore, StoreUnavailable, type ObjectStoreSettings } from '.';
import { RoleCredentials } from './role-credentials';

const contentType = 'application/octet-stream';
const megabytes = (count: number) => randomBytes(count * 1024 * 1024);

let bucket: FreshBucket;
let folder: string;
beforeAll(async () => {
  bucket = await freshBucket();
  folder = mkdtempSync(join(tmpdir(), 'currawong-role-'));
});
afterAll(async () => {
  await bucket?.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('encryption by the store', () => {
  it('is asked for, and done, with objects stored whole and in parts, of known length or not', async () => {
    const store = createObjectStore({ ...bucket, encryption: { algorithm: 'AES256' } });
    const client = objectStoreClient(bucket);
    const encryptionOf = async (key: string) =>
      (await client.statObject(bucket.bucket, key)).metaData['x-amz-server-side-encryption'] as unknown;
    const large = megabytes(20);
    await store.putBuffer('whole', Buffer.from('a recording'), { contentType });
    await store.put('parts', pieces(large), { contentType });
    await store.put('known', pieces(large), { contentType, atLeastBytes: 12 * 1024 * 1024 });
    for (const key of ['whole', 'parts', 'known'])
      expect([key, await encryptionOf(key)]).toEqual([key, 'AES256']);
    expect((await store.getBuffer('parts')).equals(large)).toBe(true);
    expect((await store.getBuffer('known')).equals(large)).toBe(true);
    const plain = createObjectStore(bucket);
    await plain.putBuffer('plain', Buffer.from('x'), { contentType });
    expect(await encryptionOf('plain')).toBeUndefined();
    [store, plain].forEach((one) => one.close());
  });

  it('by a key of the key service names that key', async () => {
    await withRecorder(async (endpoint, seen) => {
      const kms = { algorithm: 'aws:kms', kmsKeyId: 'arn:aws:kms:ap-southeast-2:1:key/k' } as const;
      const store = createObjectStore({ ...bucket, endpoint, encryption: kms });
      await store.putBuffer('k', Buffer.from('x'), { contentType });
      expect(seen[0]!.headers).toMatchObject({
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': kms.kmsKeyId,
      });
      expect(seen[0]!.headers['authorization']).toMatch(
        /SignedHeaders=[^,]*x-amz-server-side-encryption-aws-kms-key-id/,
      );
      store.close();
    });
  });
});

describe('the bucket', () => {
  const at = (pathStyle?: boolean) =>
    createObjectStore({
      ...bucket,
      endpoint: 'https://store.example',
      bucket: 'recordings',
      ...(pathStyle === undefined ? {} : { pathStyle }),
    });

  it('stands in the path, or with path style off in the host name', async () => {
    const address = async (pathStyle?: boolean) => {
      const url = new URL(await at(pathStyle).presignGet('a/b', { expiresSeconds: 60 }));
      return `${url.host}${url.pathname}`;
    };
    expect(await address()).toBe('store.example/recordings/a/b');
    expect(await address(true)).toBe('store.example/recordings/a/b');
    expect(await address(false)).toBe('recordings.store.example/a/b');
  });
});

describe('the role of a workload', () => {
  it('gives the keys for requests, parts that are streamed, and signed addresses, each with its session token', async () => {
    const tokenService = await TokenService.start();
    await withRecorder(async (endpoint, seen) => {
      const store = createObjectStore({ ...withRole(tokenService), endpoint });
      await store.putBuffer('k', Buffer.from('x'), { contentType });
      await store
        .put('p', pieces(megabytes(6)), { contentType, atLeastBytes: 6 * 1024 * 1024 })
        .catch(() => undefined);
      const signed = new URL(await store.presignGet('k', { expiresSeconds: 60 }));
      expect(signed.searchParams.get('X-Amz-Security-Token')).toBe('session-1');
      expect(signed.searchParams.get('X-Amz-Credential')).toMatch(/^key-1\//);
      expect(seen[0]!.headers['x-amz-security-token']).toBe('session-1');
      expect(seen[0]!.headers['authorization']).toMatch(/Credential=key-1\//);
      const part = seen.find(({ url }) => url.includes('partNumber='));
      expect(new URL(part!.url, endpoint).searchParams.get('X-Amz-Security-Token')).toBe('session-1');
      store.close();
    });
    expect(tokenService.asked).toEqual([
      expect.objectContaining({
        Action: 'AssumeRoleWithWebIdentity',
        RoleArn: ROLE,
        WebIdentityToken: 'token-of-the-pod',
      }),
    ]);
    await tokenService.stop();
  });

  it('is exchanged once for many requests at a time, and again before its keys expire', async () => {
    const tokenService = await TokenService.start(60);
    await withRecorder(async (endpoint, seen) => {
      const store = createObjectStore({ ...withRole(tokenService), endpoint });
      const puts = (count: number) =>
        Promise.all(
          Array.from({ length: count }, () => store.putBuffer('k', Buffer.from('x'), { contentType })),
        );
      await puts(20);
      expect(tokenService.asked).toHaveLength(1);
      await puts(20);
      for (let look = 0; look < 100 && tokenService.asked.length < 2; look++) await sleep(20);
      await sleep(100);
      await puts(1);
      expect(seen.at(-1)!.headers['authorization']).toMatch(/Credential=key-2\//);
      expect(tokenService.asked).toHaveLength(2);
      store.close();
    });
    await tokenService.stop();
  });

  it.each([
    ['slow', 1_500, 200],
    ['away', 0, 503],
  ])(
    'a token service that is %s keeps nobody waiting whose keys are still good, and is left alone',
    async (_, delayMs, status) => {
      const tokenService = await TokenService.start(3);
      const { region, role } = withRole(tokenService);
      const credentials = new RoleCredentials(role!, region);
      const key = async () => (await credentials.getCredentials()).getAccessKey();
      expect(await key()).toBe('key-1');
      Object.assign(tokenService, { delayMs, status });
      const startedAt = performance.now();
      for (let request = 0; request < 10; request++) {
        expect(await key()).toBe('key-1');
        await sleep(20);
      }
      expect(performance.now() - startedAt).toBeLessThan(1_000);
      expect(tokenService.asked).toHaveLength(2);
      // Expired keys are given to nobody.
      await sleep(3_000 - (performance.now() - startedAt));
      if (status === 200) expect(await key()).toBe('key-2');
      else await expect(key()).rejects.toThrow(StoreUnavailable);
      await tokenService.stop();
    },
  );

  it('that is refused, or has no token, is said to be so', async () => {
    const tokenService = await TokenService.start();
    tokenService.status = 403;
    const refused = createObjectStore(withRole(tokenService));
    await expect(refused.check()).rejects.toThrow(
      new StoreUnavailable('the token service refuses the role: AccessDenied', false),
    );
    await tokenService.stop();
    const settings = withRole(tokenService);
    await expect(createObjectStore(settings).check()).rejects.toThrow(/the token service cannot be reached/);
    const tokenFile = join(folder, 'none');
    await expect(
      createObjectStore({ ...settings, role: { ...settings.role!, tokenFile } }).check(),
    ).rejects.toThrow(/the token in AWS_WEB_IDENTITY_TOKEN_FILE cannot be read/);
  });
});

const ROLE = 'arn:aws:iam::123456789012:role/currawong';

function withRole({ url }: TokenService): ObjectStoreSettings {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'token-of-the-pod\n');
  const { endpoint, region } = bucket;
  return { endpoint, region, bucket: bucket.bucket, role: { arn: ROLE, tokenFile, tokenServiceUrl: url } };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 256 * 1024) yield bytes.subarray(at, at + 256 * 1024);
}

/** Speaks as Amazon's token service does. */
class TokenService {
  asked: Record<string, string>[] = [];
  status = 200;
  delayMs = 0;
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(lifetimeSeconds = 3_600): Promise<TokenService> {
    const server = createServer((message, response) => {
      let text = '';
      message
        .on('data', (chunk) => (text += String(chunk)))
        .on('end', () => {
          service.asked.push(Object.fromEntries(new URLSearchParams(text)));
          setTimeout(answer, service.delayMs, service.asked.length);
        });
      const answer = (count: number) => {
        const expiration = new Date(Date.now() + lifetimeSeconds * 1_000).toISOString();
        response
          .writeHead(service.status, { 'content-type': 'text/xml' })
          .end(
            service.status === 200
              ? `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>key-${count}</AccessKeyId><SecretAccessKey>secret-${count}</SecretAccessKey><SessionToken>session-${count}</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
              : '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>',
          );
      };
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const service = new TokenService(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return service;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A store that keeps nothing but what it was asked, with the answers that an upload needs. */
async function withRecorder(
  work: (endpoint: string, seen: { url: string; headers: IncomingHttpHeaders }[]) => Promise<void>,
): Promise<void> {
  const seen: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((message, response) => {
    seen.push({ url: message.url ?? '', headers: message.headers });
    message.resume().on('end', () => {
      const starts = message.method === 'POST' && message.url?.includes('uploads');
      response
        .writeHead(200, { etag: '"e"' })
        .end(
          starts
            ? '<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>p</Key><UploadId>u</UploadId></InitiateMultipartUploadResult>'
            : '',
        );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
