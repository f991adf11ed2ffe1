import { migrateService } from '@currawong/database';
import { JOBS_SCHEMA } from './storage/database';

void migrateService(JOBS_SCHEMA);
