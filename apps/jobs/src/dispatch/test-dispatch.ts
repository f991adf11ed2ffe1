import type { DataSource, Outbox } from '@currawong/database';
import type { JobsConfig } from '../config';
import { Dispatcher } from './dispatcher';
import { Releases } from './releases';
import { WorkMessages } from './work-messages';

/** What sends work, put together as the module does it, for tests. */
export function testDispatch(config: JobsConfig, source: DataSource, outbox: Outbox) {
  const messages = new WorkMessages(config);
  const releases = new Releases(source, config, outbox, messages);
  return { releases, dispatcher: new Dispatcher(config, messages, releases) };
}
