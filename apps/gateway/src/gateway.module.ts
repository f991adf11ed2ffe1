import { DatabaseModule } from '@currawong/database';
import { MessagingModule, type ServiceContext } from '@currawong/messaging';
import { ObjectStoreModule } from '@currawong/object-store';
import { Module, type DynamicModule } from '@nestjs/common';
import { ACCOUNTS_SCHEMA } from './accounts/database';
import { ACCOUNT_CONTROLLERS, ACCOUNT_PROVIDERS } from './accounts/parts';
import { GATEWAY_CONFIG, type GatewayEnvironment } from './config';
import { CreditController } from './credit/credit.controller';
import { DashboardController } from './dashboard/dashboard.controller';
import { DocsController } from './docs/docs.controller';
import { Dependencies } from './health/dependencies';
import { HealthController } from './health/health.controller';
import { Identities } from './http/identity';
import { AudioController } from './jobs/audio/audio.controller';
import { OpenRecordings } from './jobs/audio/open-recordings';
import { DeletionsController } from './jobs/deletions/deletions.controller';
import { EventStreams } from './jobs/events/event-streams';
import { EventsController } from './jobs/events/events.controller';
import { Following } from './jobs/events/following';
import { JobNoticesController } from './jobs/events/job-notices.controller';
import { JobsController } from './jobs/jobs.controller';
import { TranscriptController } from './jobs/transcript/transcript.controller';
import { Transcripts } from './jobs/transcripts';
import { Languages } from './languages/languages';
import { LanguagesController } from './languages/languages.controller';
import { LegacyController } from './legacy/legacy.controller';
import { ModelsController } from './openai/models.controller';
import { TranscriptionsController } from './openai/transcriptions.controller';
import { Overload } from './overload/overload';
import { RateLimiter } from './rate-limits/rate-limiter';
import { RequestLimits } from './rate-limits/request-limits';
import { StatementController } from './statement/statement.controller';
import { RemoteRecordings } from './transcribe/by-url/remote-recordings';
import { Intake } from './transcribe/intake';
import { StoppedUploads } from './transcribe/stopped-uploads';
import { Submissions } from './transcribe/submissions';
import { TranscribeController } from './transcribe/transcribe.controller';
import { PaymentEventsController } from './top-ups/payment-events.controller';
import { TopUpsController } from './top-ups/top-ups.controller';
import { StoreUploads } from './uploads/store-uploads';
import { UploadsController } from './uploads/uploads.controller';
import { CallbackUrls } from './webhooks/callback-urls';
import { Deliveries } from './webhooks/deliveries';
import { DeliveriesController } from './webhooks/deliveries.controller';
import { Endpoints } from './webhooks/endpoints';
import { WebhookOperatorController } from './webhooks/operator.controller';
import { WebhooksController } from './webhooks/webhooks.controller';
import { UsageController } from './usage/usage.controller';

/** The public edge. */
@Module({})
export class GatewayModule {
  static with({ config, connection }: ServiceContext<typeof GatewayEnvironment>): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        MessagingModule.forRoot(connection),
        DatabaseModule.forRoot({
          ...ACCOUNTS_SCHEMA,
          url: config.DATABASE_URL,
          poolSize: config.DATABASE_POOL_SIZE,
        }),
        ObjectStoreModule.forRoot(config),
      ],
      controllers: [
        TranscribeController,
        TranscriptionsController,
        ModelsController,
        JobsController,
        AudioController,
        TranscriptController,
        DeletionsController,
        EventsController,
        JobNoticesController,
        LanguagesController,
        UploadsController,
        UsageController,
        CreditController,
        StatementController,
        TopUpsController,
        PaymentEventsController,
        DocsController,
        DashboardController,
        LegacyController,
        HealthController,
        WebhooksController,
        DeliveriesController,
        WebhookOperatorController,
        ...ACCOUNT_CONTROLLERS,
      ],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        ...ACCOUNT_PROVIDERS,
        CallbackUrls,
        Deliveries,
        Dependencies,
        Endpoints,
        Identities,
        Intake,
        Languages,
        OpenRecordings,
        Following,
        EventStreams,
        Overload,
        RateLimiter,
        RequestLimits,
        RemoteRecordings,
        StoreUploads,
        StoppedUploads,
        Submissions,
        Transcripts,
      ],
    };
  }
}
