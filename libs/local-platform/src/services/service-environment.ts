import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceUrls } from '../servers/service-roles';
import type { Servers } from '../servers/start-servers';

/** Where a service listens. */
export interface ServicePorts {
  readonly metrics: number;
  /** The public port; of a gateway alone. */
  readonly http?: number;
}

/**
 * The environment of one service: that of the user without npm's own variables, then the addresses of the servers, then
 * what the starter asks for, which wins.
 */
export function serviceEnvironment(
  app: string,
  name: string,
  servers: Pick<Servers, 'databaseUrl' | 'serviceUrls' | 'natsUrl' | 's3' | 'tools' | 'dataFolder'>,
  repositoryFolder: string,
  ports: ServicePorts,
  wishes: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([key]) => !key.startsWith('npm_') && key !== 'INIT_CWD' && key !== 'NODE_ENV',
    ),
  );
  return {
    LOG_LEVEL: 'info',
    OTEL_SERVICE_NAME: app,
    ...inherited,
    ...platformEnvironment(servers),
    ...databaseEnvironment(app, servers),
    METRICS_PORT: String(ports.metrics),
    ...(app === 'gateway' ? gatewayEnvironment(repositoryFolder, ports.http) : {}),
    ...(app === 'worker' ? workerEnvironment(name, servers, repositoryFolder) : {}),
    ...wishes,
  };
}

/** What every service, the migrations and the admin command need. */
export function platformEnvironment(
  servers: Pick<Servers, 'databaseUrl' | 'natsUrl' | 's3'>,
): Record<string, string> {
  return {
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    S3_ENDPOINT: servers.s3.endpoint,
    S3_BUCKET: servers.s3.bucket,
    S3_REGION: servers.s3.region,
    S3_ACCESS_KEY: servers.s3.accessKey,
    S3_SECRET_KEY: servers.s3.secretKey,
    CURRAWONG_REGION: 'ap-southeast-2',
  };
}

/** A service signs in as its own role, where it has one; a worker knows no database. */
export function databaseEnvironment(
  app: string,
  { serviceUrls, databaseUrl }: Pick<Servers, 'databaseUrl' | 'serviceUrls'>,
): NodeJS.ProcessEnv {
  if (app === 'worker') return { DATABASE_URL: undefined };
  // The process that delivers webhooks is gateway code, over the gateway's schema.
  const owner = app === 'webhooks' ? 'gateway' : app;
  return { DATABASE_URL: serviceUrls?.[owner as keyof ServiceUrls] ?? databaseUrl };
}

function gatewayEnvironment(repositoryFolder: string, port: number | undefined): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    // By name: browsers take cookies of localhost for those of a secure page.
    PUBLIC_URL: process.env['PUBLIC_URL'] ?? `http://localhost:${port}`,
    DASHBOARD_DIR: process.env['DASHBOARD_DIR'] ?? join(repositoryFolder, 'apps', 'dashboard', 'dist'),
  };
}

function workerEnvironment(
  name: string,
  servers: Pick<Servers, 'tools' | 'dataFolder'>,
  repositoryFolder: string,
): Record<string, string> {
  const scratch = join(servers.dataFolder, 'scratch', name);
  mkdirSync(scratch, { recursive: true });
  return {
    CURRAWONG_PYTHON: servers.tools.python,
    CURRAWONG_FFMPEG: servers.tools.ffmpeg,
    CURRAWONG_ENGINES_DIR: join(repositoryFolder, 'engines'),
    SPEAKER_MODELS_DIR: servers.tools.speakerModels,
    RECOGNIZER: process.env['RECOGNIZER'] ?? 'moonshine',
    SCRATCH_DIR: scratch,
  };
}
