export { createDataSource, migrate, row, rows, type DatabaseOptions, type SqlMigration } from './data-source';
export { DatabaseModule } from './database.module';
export { migrateService } from './migrate-service';
export { Outbox, OUTBOX_TABLE_SQL, type Send } from './outbox';
export { DataSource, type EntityManager } from 'typeorm';
