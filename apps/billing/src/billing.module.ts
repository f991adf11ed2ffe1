import { DatabaseModule, DataSource } from '@currawong/database';
import { type MessagingConnection, MessagingModule } from '@currawong/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.controller';
import { Summaries } from './accounts/summaries';
import { ChecksController } from './checks/checks.controller';
import type { BillingEnvironment } from './environment';
import { HoldsController } from './holds/holds.controller';
import { CurrentTerms } from './holds/terms';
import { HoldViewsController } from './holds/views.controller';
import { Rounds } from './rounds';
import { Breakdowns } from './statements/breakdown';
import { Statements } from './statements/statements';
import { StatementsController } from './statements/statements.controller';
import { Supplier } from './statements/supplier';
import { BILLING_SCHEMA } from './storage/database';
import { Journal } from './storage/journal';
import { showOpenHolds } from './storage/metrics';
import { TopUps } from './storage/top-ups';
import { CreditController } from './topups/credit.controller';
import { Payments } from './topups/payments';
import { StripePayments } from './topups/stripe';
import { TopUpTerms } from './topups/terms';
import { TopUpsController } from './topups/top-ups.controller';
import { UnsettledTopUps } from './topups/unsettled';

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
      controllers: [
        AccountsController,
        CreditController,
        TopUpsController,
        HoldsController,
        HoldViewsController,
        StatementsController,
        ChecksController,
      ],
      providers: [
        { provide: CurrentTerms, useValue: priceTerms(config) },
        { provide: TopUpTerms, useValue: topUpTerms(config) },
        { provide: Supplier, useValue: supplier(config) },
        Journal,
        Summaries,
        Statements,
        Breakdowns,
        TopUps,
        Payments,
        UnsettledTopUps,
        Rounds,
      ],
    };
  }
}

function priceTerms(config: BillingEnvironment): CurrentTerms {
  return new CurrentTerms(
    {
      transcription: BigInt(config.PRICE_PER_MINUTE_MICRO_AUD),
      analysis: BigInt(config.PRICE_PER_MINUTE_WITH_ANALYSIS_MICRO_AUD),
    },
    BigInt(config.MINIMUM_BALANCE_MICRO_AUD),
  );
}

function topUpTerms(config: BillingEnvironment): TopUpTerms {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config;
  const provider =
    secretKey !== undefined && webhookSecret !== undefined
      ? new StripePayments({ secretKey, webhookSecret, apiUrl: config.STRIPE_API_URL })
      : undefined;
  return new TopUpTerms(
    provider,
    BigInt(config.TOP_UP_MINIMUM_MICRO_AUD),
    BigInt(config.TOP_UP_MAXIMUM_MICRO_AUD),
  );
}

function supplier(config: BillingEnvironment): Supplier {
  return new Supplier(config.SUPPLIER_NAME ?? 'Currawong', config.SUPPLIER_ABN, config.SUPPLIER_ADDRESS);
}
