export {
  connectMessaging,
  MessagingConnection,
  type ConnectionStatus,
  type MessagingOptions,
} from './connection';
export { ensureStreams, DUPLICATE_WINDOW_SECONDS, type StreamOptions } from './ensure-streams';
export { MessagingModule } from './messaging.module';
export { Requester } from './requester';
export {
  Publisher,
  toRawMessage,
  type Published,
  type PublishOptions,
  type PublishOutcome,
  type RawMessage,
} from './publisher';
export { createUserSeed, publicKeyOf } from './nkeys';
export { Notices } from './notices';
export { Answers, Consumes, Hears, type ConsumesOptions } from './decorators';
export type { Delivery } from './delivery';
export { done, retry, reject, type Outcome } from './outcome';
export { BrokerRefusal, InvalidMessage, RemoteBreakdown, ServiceUnavailable } from './errors';
export { NatsStrategy, type NatsStrategyOptions } from './nats-strategy';
export { settlesWithin } from './settles-within';
export { runService, type RunningService, type ServiceContext, type ServiceDefinition } from './run-service';
