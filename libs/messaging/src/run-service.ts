import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamicModule, INestApplicationContext, INestMicroservice, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { z } from 'zod';
import { loadConfiguration, natsEnvironment, serviceEnvironment } from '@currawong/config';
import { streamsMadeBy } from '@currawong/contracts';
import {
  createLogger,
  NestLogger,
  requestTelemetry,
  startOperationsServer,
  Startup,
  startTracing,
  type Logger,
  type Readiness,
} from '@currawong/telemetry';
import { connectMessaging, type MessagingConnection } from './connection';
import { Draining } from './draining';
import type { StreamOptions } from './ensure-streams';
import { NatsStrategy } from './nats-strategy';

export interface ServiceContext<S extends z.ZodObject> {
  config: z.infer<S> & BaseConfig;
  connection: MessagingConnection;
  logger: Logger;
}

export interface ServiceDefinition<S extends z.ZodObject> {
  /** as in logs, traces and metrics: 'jobs' */
  name: string;
  /** what the service reads besides `serviceEnvironment` and `natsEnvironment` */
  environment: S;
  /** the root module; it imports `MessagingModule.forRoot(connection)` */
  module: (context: ServiceContext<S>) => Type | DynamicModule;
  /** for a service that customers reach */
  http?: {
    port: (config: z.infer<S> & BaseConfig) => number;
    host?: (config: z.infer<S> & BaseConfig) => string;
    /** before the routes are laid out: middleware, body parsers, prefixes, time limits */
    configure?: (app: NestExpressApplication, context: ServiceContext<S>) => void | Promise<void>;
    /** when nothing new is accepted any more: ends answers that would otherwise last, such as event streams */
    closing?: (app: NestExpressApplication) => void;
  };
  /** what taking work needs besides the broker: the database, the object store */
  ready?: (app: INestApplicationContext) => Promise<Readiness>;
}

export interface RunningService {
  app: INestApplicationContext;
  /** where customers reach it; undefined without `http` */
  httpPort: number | undefined;
  metricsPort: number;
  /** closes everything in reverse order of opening; SIGTERM and SIGINT do the same and exit */
  stop(): Promise<void>;
}

/**
 * Starts a service in order: tracing, configuration, operations server (alive, not ready), broker, Nest, and only when
 * all is open does it take work. What is not there yet is waited for (`Startup`). At SIGTERM or SIGINT the same backwards:
 * it says that it is not ready, serves customers for DRAIN_DELAY_SECONDS more, work in progress is finished or handed
 * back, then the connections close. A second signal ends the process at once.
 */
export async function runService<S extends z.ZodObject>(
  definition: ServiceDefinition<S>,
): Promise<RunningService> {
  const { name } = definition;
  const tracing = startTracing(name);
  const config = loadConfiguration(definition.environment.safeExtend(baseEnvironment.shape)) as z.infer<S> &
    BaseConfig;
  const logger = createLogger(name);
  const open: (() => Promise<unknown>)[] = [() => tracing.shutdown()];
  const starting = new AbortController();
  const startup = new Startup(logger, starting.signal);
  let readiness = (): Promise<Readiness> => Promise.resolve({ ok: false, detail: startup.detail() });
  let stopped: Promise<void> | undefined;

  const stop = () =>
    (stopped ??= (async () => {
      starting.abort(new Error('stopped while starting'));
      readiness = () => Promise.resolve({ ok: false, detail: 'shutting down' });
      for (const close of open.reverse())
        await close().catch((error: unknown) =>
          logger.error({ err: error }, 'something did not close properly'),
        );
      logger.info('stopped');
    })());
  const longestStopSeconds = config.DRAIN_DELAY_SECONDS + config.SHUTDOWN_GRACE_SECONDS + 15;
  const forget = stopAtSignals(stop, logger, longestStopSeconds);
  open.push(() => Promise.resolve(forget()));

  try {
    const operations = await startOperationsServer({
      port: config.METRICS_PORT,
      host: config.METRICS_HOST,
      service: name,
      ready: () => readiness(),
    });
    open.push(() => operations.close());

    const connection = await connectMessaging({
      url: config.NATS_URL,
      nkeySeed: config.NATS_NKEY_SEED,
      name,
      logger,
      startup,
      streams: { replicas: config.NATS_STREAM_REPLICAS, ...made(name) },
    });
    open.push(() => connection.close());

    const context = { config, connection, logger };
    const strategy = new NatsStrategy({
      connection,
      settings: config,
      drainGraceSeconds: config.SHUTDOWN_GRACE_SECONDS,
    });
    const app = await createApplication(definition, context, strategy, startup);
    open.push(() => app.close());
    await unlessStopped(isHttp(app) ? app.startAllMicroservices() : app.listen(), starting.signal);
    const grace = new Grace(config.SHUTDOWN_GRACE_SECONDS * 1_000);
    // Before the application, so that handlers can still use everything that it holds.
    open.push(() => strategy.close(grace.leftMs()));
    let httpPort: number | undefined;
    if (isHttp(app) && definition.http) {
      const server: Server = app.getHttpServer();
      const draining = new Draining(server);
      await app.listen(definition.http.port(config), definition.http.host?.(config) ?? '0.0.0.0');
      httpPort = (server.address() as AddressInfo).port;
      open.push(() => {
        const closed = closeServer(server, grace.leftMs());
        definition.http?.closing?.(app);
        return closed;
      });
      open.push(async () => {
        const delayMs = config.DRAIN_DELAY_SECONDS * 1_000;
        const lastMs = Math.min(1_000, delayMs / 2);
        draining.begin();
        await sleep(delayMs - lastMs);
        // Those on which nothing was asked since: who sends just now can still do so again over a new one.
        server.closeIdleConnections();
        await sleep(lastMs);
      });
    }

    readiness = async () => {
      const messaging = strategy.readiness();
      return messaging.ok ? ((await definition.ready?.(app)) ?? messaging) : messaging;
    };
    logger.info({ http_port: httpPort, metrics_port: operations.port }, 'ready');
    return { app, httpPort, metricsPort: operations.port, stop };
  } catch (error) {
    if (starting.signal.aborted) logger.info('stopped before it had started');
    else logger.fatal({ err: error }, `the service could not start: ${(error as Error).message}`);
    await stop();
    throw error;
  }
}

/** What handlers of messages have at least, though requests used up the grace; well within the 15 s after it. */
const LEAST_DRAIN_MS = 4_000;

/** One grace for requests and messages, which are finished one after the other: it begins when somebody first asks. */
class Grace {
  private endsAtMs: number | undefined;

  constructor(private readonly wholeMs: number) {}

  leftMs(): number {
    this.endsAtMs ??= performance.now() + this.wholeMs;
    return Math.max(this.endsAtMs - performance.now(), Math.min(LEAST_DRAIN_MS, this.wholeMs));
  }
}

const baseEnvironment = serviceEnvironment.extend(natsEnvironment.shape);
type BaseConfig = z.infer<typeof baseEnvironment>;

/** The service's own module, and what the process gives to all of them. */
class ServiceModule {}

/** Only the owner of a stream makes it; a service that `contracts` does not know, as in tests, makes all. */
function made(name: string): Pick<StreamOptions, 'made'> {
  const streams = streamsMadeBy(name);
  return streams === 'all' ? {} : { made: streams };
}

/** A service that customers reach gets Express; the others are spared loading it. */
async function createApplication<S extends z.ZodObject>(
  definition: ServiceDefinition<S>,
  context: ServiceContext<S>,
  strategy: NatsStrategy,
  startup: Startup,
): Promise<NestExpressApplication | INestMicroservice> {
  const module = {
    module: ServiceModule,
    global: true,
    imports: [definition.module(context)],
    providers: [{ provide: Startup, useValue: startup }],
    exports: [Startup],
  } as unknown as Type;
  const options = { logger: new NestLogger(context.logger), abortOnError: false };
  if (definition.http === undefined)
    return NestFactory.createMicroservice<MicroserviceOptions>(module, { ...options, strategy });
  const { ExpressAdapter } =
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    require('@nestjs/platform-express') as typeof import('@nestjs/platform-express');
  const app = await NestFactory.create<NestExpressApplication>(module, new ExpressAdapter(), {
    ...options,
    // Bodies are read by those routes that want one, each with its own limit.
    bodyParser: false,
  });
  app.disable('x-powered-by');
  app.use(requestTelemetry(context.logger));
  await definition.http.configure?.(app, context);
  app.connectMicroservice<MicroserviceOptions>({ strategy });
  await app.init();
  return app;
}

function isHttp(app: NestExpressApplication | INestMicroservice): app is NestExpressApplication {
  return 'getHttpServer' in app;
}

/** Accepts nothing new; requests in progress get the grace, event streams and the like are cut after it. */
async function closeServer(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  // A connection kept alive by its client becomes idle only when its last answer is sent.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
  clearTimeout(timer);
}

/** Settles as `work` does, or at once when the process is told to stop: a consumer may wait for its stream for long. */
function unlessStopped<T>(work: Promise<T>, stopped: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(stopped.reason as Error);
    if (stopped.aborted) onAbort();
    stopped.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject);
  });
}

/** @returns a function that stops listening for signals */
function stopAtSignals(stop: () => Promise<void>, logger: Logger, longestStopSeconds: number): () => void {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) process.exit(130);
    asked = true;
    logger.info({ signal }, 'stopping');
    // Whatever hangs must not outlive the grace that Kubernetes was told.
    setTimeout(() => process.exit(1), longestStopSeconds * 1_000).unref();
    void stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return () => {
    if (asked) return;
    process.off('SIGTERM', onSignal);
    process.off('SIGINT', onSignal);
  };
}
