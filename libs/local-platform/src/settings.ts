import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemaOwner } from '@currawong/contracts';
import { readJson, writeJsonAtomic } from './files';

/** What one data folder remembers between starts: its passwords, its ports, where its Postgres lives. */
export interface Settings {
  readonly secrets: {
    readonly postgresPassword: string;
    /** Of the services' roles; a folder of an older release has none yet. */
    rolePasswords?: Partial<Record<SchemaOwner, string>>;
    readonly natsPassword: string;
    readonly s3AccessKey: string;
    readonly s3SecretKey: string;
  };
  ports: Record<string, number>;
  /** Outside the data folder when the user that Postgres runs as cannot reach it there. */
  postgresHome?: string;
}

/** Reads the settings of a data folder, or makes them on its first use. The file is for its owner alone. */
export function loadSettings(dataFolder: string): Settings {
  mkdirSync(dataFolder, { recursive: true });
  const found = readJson<Settings>(settingsPath(dataFolder));
  if (found?.secrets?.postgresPassword) return { ...found, ports: found.ports ?? {} };
  const settings: Settings = {
    secrets: {
      postgresPassword: randomBytes(18).toString('hex'),
      natsPassword: randomBytes(18).toString('hex'),
      s3AccessKey: `currawong${randomBytes(6).toString('hex')}`,
      s3SecretKey: randomBytes(24).toString('hex'),
    },
    ports: {},
  };
  saveSettings(dataFolder, settings);
  return settings;
}

export function saveSettings(dataFolder: string, settings: Settings): void {
  writeJsonAtomic(settingsPath(dataFolder), settings);
}

function settingsPath(dataFolder: string): string {
  return join(dataFolder, 'settings.json');
}

/**
 * Removes the data of the servers, wherever it lies, and what is remembered about it; fetched programs stay. Nothing
 * may be running over it.
 */
export function forgetData(dataFolder: string): void {
  const home = readJson<Settings>(settingsPath(dataFolder))?.postgresHome;
  // A home outside the data folder was made for this Postgres alone.
  if (home && home !== dataFolder) rmSync(home, { recursive: true, force: true });
  for (const name of [
    'postgres',
    'nats',
    's3',
    'scratch',
    'logs',
    'settings.json',
    'demo.json',
    'ready.json',
  ]) {
    rmSync(join(dataFolder, name), { recursive: true, force: true });
  }
}
