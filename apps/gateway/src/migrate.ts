import { migrateService } from '@currawong/database';
import { ACCOUNTS_SCHEMA } from './accounts/database';

void migrateService(ACCOUNTS_SCHEMA);
