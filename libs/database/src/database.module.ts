import { Publisher } from '@currawong/messaging';
import { Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createDataSource, type DatabaseOptions } from './data-source';
import { Outbox } from './outbox';

/** Makes the service's DataSource and its Outbox injectable everywhere; closed last of all. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    private readonly source: DataSource,
    private readonly outbox: Outbox,
  ) {}

  static forRoot(options: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: DataSource, useFactory: () => createDataSource(options).initialize() },
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
    await this.source.destroy();
  }
}
