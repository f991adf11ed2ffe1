import { MessagingModule, type ServiceContext } from '@currawong/messaging';
import { ObjectStoreModule } from '@currawong/object-store';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { join } from 'node:path';
import { WORKER_CONFIG, type WorkerConfig, type WorkerEnvironment } from './config';
import { cepstralEmbedder } from './diarization/speaker-embedder';
import { Attempt } from './intake/attempt';
import { AudioController } from './intake/audio.controller';
import { RECOGNIZER, Recordings, SPEAKER_EMBEDDER } from './intake/recordings';
import { SourceAudio } from './intake/source-audio';
import { SpeechController } from './intake/speech.controller';
import { showEngine } from './metrics';
import { createRecognizer } from './recognition/create-recognizer';
import type { Recognizer } from './recognition/recognizer';

const CONTROLLERS = { speech: SpeechController, audio: AudioController };

@Module({})
export class WorkerModule implements OnApplicationShutdown {
  constructor(@Inject(RECOGNIZER) private readonly recognizer: Recognizer) {
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
        { provide: SPEAKER_EMBEDDER, useValue: cepstralEmbedder },
        { provide: RECOGNIZER, useFactory: () => recognizerOf(config) },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.recognizer.close();
  }
}

function recognizerOf(config: WorkerConfig): Promise<Recognizer> {
  switch (config.RECOGNIZER) {
    case 'pocketsphinx':
      return createRecognizer({
        engine: 'pocketsphinx',
        pythonPath: config.CURRAWONG_PYTHON,
        scriptPath: join(config.CURRAWONG_ENGINES_DIR, 'pocketsphinx_engine.py'),
      });
    case 'null':
      return createRecognizer({ engine: 'null', sleepFactor: config.NULL_ENGINE_SLEEP_FACTOR });
  }
}
