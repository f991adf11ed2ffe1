import { DatabaseModule } from '@currawong/database';
import { MessagingModule, type ServiceContext } from '@currawong/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { ACCOUNTS_SCHEMA } from '../../accounts/database';
import { Deliveries } from '../deliveries';
import { Claims } from './claims';
import { WEBHOOKS_CONFIG, type WebhooksEnvironment } from './config';
import { DeliveryRounds } from './delivery-rounds';
import { EndedJobs } from './ended-jobs';
import { EndedJobsController } from './ended-jobs.controller';
import { DueMetrics } from './metrics';
import { Pruning } from './pruning';
import { Sender } from './sender';

/** The process that tells receivers of the ends of jobs: the gateway's code and schema, and nobody waits for it. */
@Module({})
export class WebhooksModule {
  static with({ config, connection }: ServiceContext<typeof WebhooksEnvironment>): DynamicModule {
    return {
      module: WebhooksModule,
      imports: [
        MessagingModule.forRoot(connection),
        DatabaseModule.forRoot({
          ...ACCOUNTS_SCHEMA,
          url: config.DATABASE_URL,
          poolSize: config.DATABASE_POOL_SIZE,
        }),
      ],
      controllers: [EndedJobsController],
      providers: [
        { provide: WEBHOOKS_CONFIG, useValue: config },
        Claims,
        Deliveries,
        DeliveryRounds,
        DueMetrics,
        EndedJobs,
        Pruning,
        Sender,
      ],
    };
  }
}
