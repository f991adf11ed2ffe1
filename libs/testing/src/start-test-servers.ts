import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  forgetData,
  identify,
  Keeper,
  startServers,
  type ReportStep,
  type Servers,
} from '@currawong/local-platform';
import { startContainers } from './containers';
import { type TestServers, testServersVariable } from './test-servers';

/**
 * Real servers for a run of tests: those that the environment names, else containers where a container engine answers,
 * else the same embedded ones as `npm start`. Puts their addresses into the environment, from where the test processes
 * inherit them.
 */
export async function startTestServers(
  repositoryFolder: string,
  report?: ReportStep,
): Promise<{ servers: TestServers; stop: () => Promise<void> }> {
  const given = process.env;
  const toolsFolder = join(repositoryFolder, '.currawong');
  await removeAbandoned(toolsFolder);
  // Neither the data of `npm start` nor that of another run: all of them may go on at the same time.
  const dataFolder = join(toolsFolder, `test-${process.pid}`);
  const allGiven = given['DATABASE_URL'] && given['NATS_URL'] && given['S3_ENDPOINT'];
  const containers = allGiven ? undefined : await startContainers();
  const running: Servers = await startServers({
    dataFolder,
    toolsFolder,
    requirementFiles: ['pocketsphinx', 'moonshine', 'faster-whisper']
      .map((engine) => join(repositoryFolder, 'engines', `requirements-${engine}.txt`))
      .filter(existsSync),
    env: { ...containers?.env, ...given },
    ...(report && { report }),
  }).catch(async (error: unknown) => {
    await containers?.stop();
    throw error;
  });
  const servers: TestServers = {
    databaseUrl: running.databaseUrl,
    natsUrl: running.natsUrl,
    s3: running.s3,
    tools: running.tools,
    run: Date.now().toString(36),
    natsIsGiven: Boolean(given['NATS_URL']),
  };
  process.env[testServersVariable] = JSON.stringify(servers);
  process.env['CURRAWONG_PYTHON'] ??= servers.tools.python;
  process.env['CURRAWONG_FFMPEG'] ??= servers.tools.ffmpeg;
  process.env['SPEAKER_MODELS_DIR'] ??= servers.tools.speakerModels;
  return {
    servers,
    async stop() {
      delete process.env[testServersVariable];
      await running.stop();
      remove(dataFolder);
      await containers?.stop();
    },
  };
}

/** What runs left that were killed: their servers, if the keeper was killed too, and their data. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names) {
    const pid = Number(/^test-(\d+)$/.exec(name)?.[1]);
    if (!Number.isInteger(pid) || identify(pid)) continue;
    const keeper = await Keeper.open(join(folder, name));
    await keeper.close();
    remove(join(folder, name));
  }
}

function remove(dataFolder: string): void {
  forgetData(dataFolder);
  rmSync(dataFolder, { recursive: true, force: true });
}
