import 'reflect-metadata';
import { runService } from '@currawong/messaging';
import { WorkerEnvironment } from './config';
import { WorkerModule } from './worker.module';

void runService({
  name: 'worker',
  environment: WorkerEnvironment,
  module: (context) => WorkerModule.with(context),
}).catch(() => process.exit(1));
