export { chromiumRemedy, findChromium, objectStoreClient } from '@currawong/local-platform';
export {
  codedEngine,
  codedRecording,
  type CodedRecording,
  compareWords,
  type SaidWord,
} from './coded-speech/recording';
export { freshBucket, type FreshBucket } from './fresh-bucket';
export { type DatabaseTemplate, freshDatabase, type FreshDatabase } from './fresh-database';
export { freshNats, type FreshNats } from './fresh-nats';
export { AdminFailure, type PlatformOptions, startPlatform, type TestPlatform } from './start-platform';
export { startTestServers } from './start-test-servers';
export {
  type SigningWishes,
  startStripeServer,
  type StripeEvent,
  type StripeMood,
  type StripeServer,
  type StripeSession,
} from './stripe-server';
export { testServers, type TestServers } from './test-servers';
