import {
  DiscardPolicy,
  JetStreamApiCodes,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { STREAMS, type StreamName } from '@currawong/contracts';
import { isApiError } from './api-error';
import type { MessagingConnection } from './connection';

export interface StreamOptions {
  /** copies in the broker's cluster: 1 for a single server, 3 in production */
  replicas?: number;
  storage?: 'file' | 'memory';
  /** The streams that this process makes; all unless given. The others are made by the service that owns them. */
  made?: readonly StreamName[];
}

/**
 * Creates the streams of `contracts`, or brings those that exist up to date. Any number of processes may do this at
 * the same time, and doing it again changes nothing.
 */
export async function ensureStreams(
  connection: MessagingConnection,
  options: StreamOptions = {},
): Promise<void> {
  const names = options.made ?? (Object.keys(STREAMS) as StreamName[]);
  await Promise.all(names.map((name) => ensureStream(connection, wanted(name, options))));
}

type WantedStream = Partial<StreamConfig> & { name: string };

async function ensureStream(connection: MessagingConnection, config: WantedStream): Promise<void> {
  const { streams } = await connection.jetstreamManager();
  const present = await streams.info(config.name).catch((error: unknown) => {
    if (isApiError(error, JetStreamApiCodes.StreamNotFound)) return undefined;
    throw error;
  });
  if (present === undefined) {
    await streams.add(config).catch((error: unknown) => {
      // Another process was quicker with other numbers; the update below settles whose numbers hold.
      if (!isApiError(error, STREAM_NAME_IN_USE)) throw error;
      return streams.update(config.name, changeable(config));
    });
    return;
  }
  const now = present.config as unknown as Record<string, unknown>;
  const changes = Object.entries(changeable(config)).filter(
    ([key, value]) => JSON.stringify(now[key]) !== JSON.stringify(value),
  );
  if (changes.length > 0) await streams.update(config.name, Object.fromEntries(changes));
}

/**
 * Work that cannot be stored must be refused, so that the sender knows and keeps it (`discard: new`). Events are
 * news: there the oldest give way.
 */
function wanted(name: StreamName, { replicas = 1, storage = 'file' }: StreamOptions): WantedStream {
  const definition = STREAMS[name];
  const isWorkQueue = definition.retention === 'workqueue';
  return {
    name,
    subjects: definition.subjects,
    retention: isWorkQueue ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    storage: storage === 'file' ? StorageType.File : StorageType.Memory,
    num_replicas: replicas,
    discard: isWorkQueue ? DiscardPolicy.New : DiscardPolicy.Old,
    duplicate_window: DUPLICATE_WINDOW_SECONDS * NANOSECONDS_PER_SECOND,
    max_age: (definition.maxAgeSeconds ?? 0) * NANOSECONDS_PER_SECOND,
    max_bytes: 256 * MEBIBYTE,
    // Anything larger than a few kilobytes belongs into the object store; this only catches mistakes.
    max_msg_size: 512 * 1024,
  };
}

/** How a stream stores and retains is settled when it is made; the broker refuses to change either. */
function changeable({ name: _name, retention: _retention, storage: _storage, ...rest }: WantedStream) {
  return rest;
}

/** An id that comes again within this time is not stored a second time, and the sender is told so. */
export const DUPLICATE_WINDOW_SECONDS = 120;

const STREAM_NAME_IN_USE = 10058;
const NANOSECONDS_PER_SECOND = 1_000_000_000;
const MEBIBYTE = 1024 * 1024;
