import { MessagingModule, type ServiceContext } from '@currawong/messaging';
import { ObjectStoreModule } from '@currawong/object-store';
import { Inject, Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig, type WorkerEnvironment } from './config';
import { createDiarizer } from './diarization/create-diarizer';
import type { Diarizer } from './diarization/diarizer';
import { Announcement } from './intake/announcement';
import { Attempt } from './intake/attempt';
import { AudioController } from './intake/audio.controller';
import { DIARIZER, RECOGNIZER, Recordings } from './intake/recordings';
import { Rediarization } from './intake/rediarization';
import { SourceAudio } from './intake/source-audio';
import { SpeechController } from './intake/speech.controller';
import { StopController } from './intake/stop.controller';
import { showEngine } from './metrics';
import { createRecognizer } from './recognition/create-recognizer';
import { engineProgram } from './recognition/engine-program';
import type { HttpRecognizerOptions } from './recognition/http-recognizer';
import type { Recognizer } from './recognition/recognizer';

const CONTROLLERS = { speech: SpeechController, audio: AudioController };

@Module({})
export class WorkerModule implements OnApplicationShutdown {
  constructor(
    @Inject(RECOGNIZER) private readonly recognizer: Recognizer,
    @Inject(DIARIZER) private readonly diarizer: Diarizer,
  ) {
    showEngine(recognizer.name);
  }

  static with({ config, connection }: ServiceContext<typeof WorkerEnvironment>): DynamicModule {
    return {
      module: WorkerModule,
      imports: [MessagingModule.forRoot(connection), ObjectStoreModule.forRoot(config)],
      controllers: [StopController, ...config.WORKER_DUTIES.map((duty) => CONTROLLERS[duty])],
      providers: [
        Announcement,
        Attempt,
        Recordings,
        Rediarization,
        SourceAudio,
        { provide: WORKER_CONFIG, useValue: config },
        { provide: DIARIZER, useFactory: () => diarizerOf(config) },
        { provide: RECOGNIZER, useFactory: () => recognizerOf(config) },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.recognizer.close(), this.diarizer.close()]);
  }
}

function diarizerOf(config: WorkerConfig): Promise<Diarizer> {
  return createDiarizer(config.DIARIZER, {
    pythonPath: config.CURRAWONG_PYTHON,
    enginesFolder: config.CURRAWONG_ENGINES_DIR,
    modelsFolder: config.SPEAKER_MODELS_DIR,
    say: (line) => new Logger('Diarizer').log(line),
  });
}

async function recognizerOf(config: WorkerConfig): Promise<Recognizer> {
  const { RECOGNIZER: engine } = config;
  if (engine === 'http') return createRecognizer({ engine, ...speechServerOf(config) });
  if (engine === 'null') return createRecognizer({ engine, sleepFactor: config.NULL_ENGINE_SLEEP_FACTOR });
  const log = new Logger('Recognizer');
  return createRecognizer(await engineProgram(engine, config, (line) => log.log(line)));
}

function speechServerOf(config: WorkerConfig): HttpRecognizerOptions {
  return {
    // Its presence is checked with the other settings.
    url: config.ENGINE_URL!,
    path: config.ENGINE_PATH,
    apiKey: config.ENGINE_API_KEY,
    model: config.ENGINE_MODEL,
    languages: config.ENGINE_LANGUAGES,
    concurrency: config.ENGINE_CONCURRENCY,
    patienceSeconds: config.ENGINE_PATIENCE_SECONDS,
    patienceFactor: config.ENGINE_PATIENCE_FACTOR,
  };
}
