import { MessagingModule, type ServiceContext } from '@currawong/messaging';
import { ObjectStoreModule } from '@currawong/object-store';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig, type WorkerEnvironment } from './config';
import { cepstralDiarizer } from './diarization/cepstral-diarizer';
import type { Diarizer } from './diarization/diarizer';
import { Attempt } from './intake/attempt';
import { AudioController } from './intake/audio.controller';
import { DIARIZER, RECOGNIZER, Recordings } from './intake/recordings';
import { SourceAudio } from './intake/source-audio';
import { SpeechController } from './intake/speech.controller';
import { showEngine } from './metrics';
import { createRecognizer } from './recognition/create-recognizer';
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
      controllers: config.WORKER_DUTIES.map((duty) => CONTROLLERS[duty]),
      providers: [
        Attempt,
        Recordings,
        SourceAudio,
        { provide: WORKER_CONFIG, useValue: config },
        { provide: DIARIZER, useValue: cepstralDiarizer },
        { provide: RECOGNIZER, useFactory: () => recognizerOf(config) },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.recognizer.close(), this.diarizer.close()]);
  }
}

function recognizerOf(config: WorkerConfig): Promise<Recognizer> {
  const { RECOGNIZER: engine, CURRAWONG_PYTHON: pythonPath, CURRAWONG_ENGINES_DIR: enginesFolder } = config;
  return engine === 'null'
    ? createRecognizer({ engine, sleepFactor: config.NULL_ENGINE_SLEEP_FACTOR })
    : createRecognizer({ engine, pythonPath, enginesFolder });
}
