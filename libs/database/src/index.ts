export { createDataSource, migrate, row, rows, type DatabaseOptions, type SqlMigration } from './data-source';
export { DatabaseModule } from './database.module';
export { showOrRemove, waitingForConnection } from './metrics';
export { migrateService } from './migrate-service';
export { openMigrated } from './open-migrated';
export { Outbox, OUTBOX_TABLE_SQL, type Send } from './outbox';
export { askApart } from './scrape-connection';
export { Scraped } from './scraped';
export { DataSource, type EntityManager } from 'typeorm';
