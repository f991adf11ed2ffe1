import 'reflect-metadata';
import { DataSource } from '@currawong/database';
import { runService } from '@currawong/messaging';
import { BillingModule } from './billing.module';
import { billingEnvironment } from './environment';
import { checkBooksReadable } from './storage/database';

void runService({
  name: 'billing',
  environment: billingEnvironment,
  module: (context) => BillingModule.with(context),
  ready: async (app) => {
    await checkBooksReadable(app.get(DataSource));
    return { ok: true };
  },
}).catch(() => process.exit(1));
