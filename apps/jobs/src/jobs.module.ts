import { DatabaseModule } from '@currawong/database';
import { MessagingModule, type ServiceContext } from '@currawong/messaging';
import { ObjectStoreModule } from '@currawong/object-store';
import { Module, type DynamicModule } from '@nestjs/common';
import { AnnouncementsController } from './announcements/announcements.controller';
import { GivenUpAnnouncements } from './announcements/given-up';
import { JOBS_CONFIG, type JobsEnvironment } from './config';
import { ClaimsController } from './dispatch/claims.controller';
import { Dispatcher } from './dispatch/dispatcher';
import { Releases } from './dispatch/releases';
import { WorkMessages } from './dispatch/work-messages';
import { Deleting } from './deletion/deleting';
import { DeletionController } from './deletion/deletion.controller';
import { Erasure } from './deletion/erasure';
import { EnginesController } from './engines/engines.controller';
import { HealthController } from './health.controller';
import { Discard } from './intake/discard';
import { IdempotencyKeys } from './intake/idempotency';
import { IntakeController } from './intake/intake.controller';
import { StoreUploads } from './intake/store-uploads';
import { Submission } from './intake/submission';
import { TestAllowance } from './intake/test-allowance';
import { BacklogMetrics } from './metrics/backlog-metrics';
import { DeletionMetrics } from './metrics/deletion-metrics';
import { CurrentQueue } from './reading/queue';
import { ReadingController } from './reading/reading.controller';
import { Rediarizing } from './reading/rediarizing';
import { Reconciliation } from './reconciliation/reconciliation';
import { AbandonedUploads } from './rescue/abandoned-uploads';
import { Deletions } from './rescue/deletions';
import { ExpiredAudio } from './rescue/expired-audio';
import { ExpiredJobs } from './rescue/expired-jobs';
import { FinishedJobs } from './rescue/finished-jobs';
import { LostWork } from './rescue/lost-work';
import { OldWork } from './rescue/old-work';
import { Sweeper } from './rescue/sweeper';
import { UnsettledJobs } from './rescue/unsettled-jobs';
import { Attempts } from './results/attempts';
import { LongerThanHeld } from './results/longer-than-held';
import { ResultsController } from './results/results.controller';
import { Settlement } from './results/settlement';
import { AccountLimitsController } from './settings/account-limits.controller';
import { SettingsController } from './settings/settings.controller';
import { JOBS_SCHEMA } from './storage/database';

/** The sole owner of job state. */
@Module({})
export class JobsModule {
  static with({ config, connection }: ServiceContext<typeof JobsEnvironment>): DynamicModule {
    return {
      module: JobsModule,
      imports: [
        MessagingModule.forRoot(connection),
        DatabaseModule.forRoot({
          ...JOBS_SCHEMA,
          url: config.DATABASE_URL,
          poolSize: config.DATABASE_POOL_SIZE,
        }),
        ObjectStoreModule.forRoot(config),
      ],
      controllers: [
        AnnouncementsController,
        IntakeController,
        ClaimsController,
        ResultsController,
        ReadingController,
        DeletionController,
        SettingsController,
        AccountLimitsController,
        EnginesController,
        HealthController,
      ],
      providers: [
        { provide: JOBS_CONFIG, useValue: config },
        TestAllowance,
        IdempotencyKeys,
        StoreUploads,
        Submission,
        Discard,
        WorkMessages,
        Releases,
        Dispatcher,
        Attempts,
        LongerThanHeld,
        Settlement,
        CurrentQueue,
        Rediarizing,
        LostWork,
        AbandonedUploads,
        UnsettledJobs,
        FinishedJobs,
        OldWork,
        Deleting,
        Erasure,
        Deletions,
        ExpiredJobs,
        ExpiredAudio,
        GivenUpAnnouncements,
        Reconciliation,
        Sweeper,
        BacklogMetrics,
        DeletionMetrics,
      ],
    };
  }
}
