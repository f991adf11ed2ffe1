import { Publisher, settlesWithin } from '@currawong/messaging';
import { createLogger, Startup } from '@currawong/telemetry';
import { Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DatabaseOptions } from './data-source';
import { showDatabase } from './metrics';
import { openMigrated } from './open-migrated';
import { Outbox } from './outbox';

const CLOSE_WITHIN_MS = 2_000;

/**
 * Makes the service's DataSource and its Outbox injectable everywhere; closed last of all. The process waits while the
 * database cannot be reached or its schema is older than this build.
 */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  private readonly endMetrics: () => Promise<void>;

  constructor(
    private readonly source: DataSource,
    private readonly outbox: Outbox,
  ) {
    this.endMetrics = showDatabase(source);
  }

  static forRoot(options: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: DataSource,
          useFactory: (startup: Startup = new Startup(createLogger(options.schema))) =>
            openMigrated(options, startup),
          inject: [{ token: Startup, optional: true }],
        },
        {
          provide: Outbox,
          useFactory: (source: DataSource, publisher: Publisher) =>
            new Outbox(source, publisher, new Logger(Outbox.name)),
          inject: [DataSource, Publisher],
        },
      ],
      exports: [DataSource, Outbox],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.outbox.settle();
    // A statement that is under way would be waited for until its limit, which a database that is away uses up.
    await settlesWithin(Promise.all([this.endMetrics(), this.source.destroy()]), CLOSE_WITHIN_MS);
  }
}
