import { Module, type DynamicModule } from '@nestjs/common';
import { MessagingConnection } from './connection';
import { Notices } from './notices';
import { Publisher } from './publisher';
import { Requester } from './requester';

/** Makes Requester, Publisher, Notices and the MessagingConnection injectable everywhere in the application. */
@Module({})
export class MessagingModule {
  /** The connection is opened and closed by whoever starts the process (see `runService`), not by Nest. */
  static forRoot(connection: MessagingConnection): DynamicModule {
    return {
      module: MessagingModule,
      global: true,
      providers: [{ provide: MessagingConnection, useValue: connection }, Requester, Publisher, Notices],
      exports: [MessagingConnection, Requester, Publisher, Notices],
    };
  }
}
