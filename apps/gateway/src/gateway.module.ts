import { DatabaseModule } from '@currawong/database';
import { MessagingModule, type ServiceContext } from '@currawong/messaging';
import { ObjectStoreModule } from '@currawong/object-store';
import { Module, type DynamicModule } from '@nestjs/common';
import { Accounts } from './accounts/accounts';
import { AccountsController } from './accounts/accounts.controller';
import { ACCOUNTS_SCHEMA } from './accounts/database';
import { KeyCache } from './accounts/key-cache';
import { GATEWAY_CONFIG, type GatewayEnvironment } from './config';
import { CreditController } from './credit/credit.controller';
import { HealthController } from './health/health.controller';
import { JobsController } from './jobs/jobs.controller';
import { Transcripts } from './jobs/transcripts';
import { LegacyController } from './legacy/legacy.controller';
import { Submissions } from './transcribe/submissions';
import { TranscribeController } from './transcribe/transcribe.controller';
import { UsageController } from './usage/usage.controller';

/** The public edge. */
@Module({})
export class GatewayModule {
  static with({ config, connection }: ServiceContext<typeof GatewayEnvironment>): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        MessagingModule.forRoot(connection),
        DatabaseModule.forRoot({
          ...ACCOUNTS_SCHEMA,
          url: config.DATABASE_URL,
          poolSize: config.DATABASE_POOL_SIZE,
        }),
        ObjectStoreModule.forRoot(config),
      ],
      controllers: [
        TranscribeController,
        JobsController,
        UsageController,
        CreditController,
        LegacyController,
        HealthController,
        AccountsController,
      ],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        Accounts,
        KeyCache,
        Submissions,
        Transcripts,
      ],
    };
  }
}
