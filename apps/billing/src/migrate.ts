import { migrateService } from '@currawong/database';
import { BILLING_SCHEMA } from './storage/database';

void migrateService(BILLING_SCHEMA);
