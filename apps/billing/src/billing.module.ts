import { DatabaseModule, DataSource } from '@currawong/database';
import { type MessagingConnection, MessagingModule } from '@currawong/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.controller';
import { Summaries } from './accounts/summaries';
import { ChecksController } from './checks/checks.controller';
import type { BillingEnvironment } from './environment';
import { HoldsController } from './holds/holds.controller';
import { CurrentTerms } from './holds/terms';
import { BILLING_SCHEMA } from './storage/database';
import { Journal } from './storage/journal';
import { showOpenHolds } from './storage/metrics';
import { CreditController } from './topups/credit.controller';

interface Context {
  config: BillingEnvironment;
  connection: MessagingConnection;
}

/** The sole owner of money. Everything that changes a balance goes through the journal. */
@Module({})
export class BillingModule {
  constructor(source: DataSource) {
    showOpenHolds(source);
  }

  static with({ config, connection }: Context): DynamicModule {
    const terms = new CurrentTerms(
      BigInt(config.PRICE_PER_MINUTE_MICRO_AUD),
      BigInt(config.MINIMUM_BALANCE_MICRO_AUD),
    );
    return {
      module: BillingModule,
      imports: [
        MessagingModule.forRoot(connection),
        DatabaseModule.forRoot({
          ...BILLING_SCHEMA,
          url: config.DATABASE_URL,
          poolSize: config.DATABASE_POOL_SIZE,
        }),
      ],
      controllers: [AccountsController, CreditController, HoldsController, ChecksController],
      providers: [{ provide: CurrentTerms, useValue: terms }, Journal, Summaries],
    };
  }
}
