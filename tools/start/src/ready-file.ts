import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, type Servers, type Services, writeJsonAtomic } from '@currawong/local-platform';
import type { DemoAccount } from './demo-account';

/** What others read to find the running platform: `.currawong/ready.json`. Present only while it runs. */
export interface Ready {
  readonly base_url: string;
  /** Null while no dashboard is built. */
  readonly dashboard_url: string | null;
  readonly api_key: string;
  readonly account_id: string;
  readonly database_url: string;
  readonly nats_url: string;
  readonly s3: { endpoint: string; bucket: string; region: string; access_key: string; secret_key: string };
  readonly metrics_urls: Readonly<Record<string, string>>;
  readonly python: string;
  readonly ffmpeg: string;
  /** Of the services; rewritten when one has been started again. */
  readonly pids: Readonly<Record<string, number>>;
}

export class ReadyFile {
  readonly path: string;
  #content: Ready | undefined;

  constructor(stateFolder: string) {
    this.path = join(stateFolder, 'ready.json');
  }

  read(): Ready | undefined {
    return readJson<Ready>(this.path);
  }

  write(servers: Servers, services: Services, account: DemoAccount, dashboardUrl: string | null): Ready {
    const { accessKey, secretKey, ...store } = servers.s3;
    this.#content = {
      base_url: services.baseUrl,
      dashboard_url: dashboardUrl,
      account_id: account.account_id,
      api_key: account.api_key,
      database_url: servers.databaseUrl,
      nats_url: servers.natsUrl,
      s3: { ...store, access_key: accessKey, secret_key: secretKey },
      metrics_urls: services.metricsUrls,
      python: servers.tools.python,
      ffmpeg: servers.tools.ffmpeg,
      pids: services.pids(),
    };
    writeJsonAtomic(this.path, this.#content);
    return this.#content;
  }

  updatePids(pids: Readonly<Record<string, number>>): void {
    if (!this.#content) return;
    this.#content = { ...this.#content, pids };
    writeJsonAtomic(this.path, this.#content);
  }

  remove(): void {
    this.#content = undefined;
    rmSync(this.path, { force: true });
  }
}
