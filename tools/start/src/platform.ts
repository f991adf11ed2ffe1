import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  allServices,
  isPortFree,
  type Servers,
  type Services,
  SetupError,
  startServers,
  startServices,
} from '@currawong/local-platform';
import { demoAccount } from './demo-account';
import type { Ready, ReadyFile } from './ready-file';
import type { Screen } from './screen';
import { fetchModel, planSpeech } from './speech-engine';

export interface Folders {
  readonly repository: string;
  /** Programs that were fetched: `.currawong` in the repository. */
  readonly tools: string;
  /** Data, logs and ready.json: the same, unless CURRAWONG_DATA_FOLDER names another. */
  readonly state: string;
}

export interface Platform {
  readonly ready: Ready;
  stop(): Promise<void>;
}

function requirementsOf({ repository }: Folders, engine: string): string {
  return join(repository, 'engines', `requirements-${engine}.txt`);
}

/** Servers, schemas, services and the demo account, in that order; ends in reverse order. */
export async function startPlatform(
  folders: Folders,
  port: number,
  screen: Screen,
  readyFile: ReadyFile,
): Promise<Platform> {
  readyFile.remove();
  // Asked before anything is started, because it is the most frequent trouble of all.
  if (!(await isPortFree(port))) {
    throw new SetupError(
      `Port ${port} is in use by another program: choose another one, for example PORT=${port === 65_535 ? port - 1 : port + 1} npm start`,
    );
  }
  const opened: { servers?: Servers; services?: Services } = {};
  const stop = async () => {
    readyFile.remove();
    await opened.services?.stop();
    await opened.servers?.stop();
  };
  try {
    const speech = await planSpeech(folders.repository, join(folders.tools, 'models'));
    if (speech.remark) screen.line(speech.remark);
    const servers = (opened.servers = await startServers({
      dataFolder: folders.state,
      toolsFolder: folders.tools,
      requirementFiles: [requirementsOf(folders, 'pocketsphinx')],
      optionalRequirementFiles: speech.engines.map((engine) => requirementsOf(folders, engine)),
      report: screen.step,
    }));
    servers.keeper.removeAtEnd(readyFile.path);
    const missed = speech.fetches ? await fetchModel(folders.repository, speech.env, screen) : undefined;
    if (missed) screen.line(`Speech engine: Moonshine, English only; ${missed}`);
    const services = (opened.services = await startServices({
      servers,
      repositoryFolder: folders.repository,
      port,
      env: { ...speech.env, ...(missed && { RECOGNIZER: 'moonshine' }) },
      services: allServices,
      report: screen.step,
      onPidsChange: (pids) => readyFile.updatePids(pids),
    }));
    const account = await demoAccount(folders.repository, servers, services.baseUrl);
    const dashboard = existsSync(join(folders.repository, 'apps', 'dashboard', 'dist', 'index.html'));
    return {
      ready: readyFile.write(servers, services, account, dashboard ? `${services.baseUrl}/` : null),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
