import 'reflect-metadata';
import { DataSource } from '@currawong/database';
import { runService } from '@currawong/messaging';
import { WebhooksEnvironment } from './webhooks/delivery/config';
import { WebhooksModule } from './webhooks/delivery/webhooks.module';

void runService({
  name: 'webhooks',
  environment: WebhooksEnvironment,
  module: (context) => WebhooksModule.with(context),
  ready: async (app) => {
    await app.get(DataSource).query('SELECT 1');
    return { ok: true };
  },
}).catch(() => process.exit(1));
