import 'reflect-metadata';
import { DataSource } from '@currawong/database';
import { runService } from '@currawong/messaging';
import { JobsEnvironment } from './config';
import { JobsModule } from './jobs.module';

void runService({
  name: 'jobs',
  environment: JobsEnvironment,
  module: (context) => JobsModule.with(context),
  ready: async (app) => {
    await app.get(DataSource).query('SELECT 1');
    return { ok: true };
  },
}).catch(() => process.exit(1));
