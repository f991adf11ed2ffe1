import { join } from 'node:path';
import { z } from 'zod';
import { modelFiles } from './recognition/model-files';
import { engineEnvironment, modelOptions } from './recognition/engine-settings';

/**
 * Fetches the model that the settings MODEL, MODEL_DIR, MODEL_URL and MODEL_MANIFEST name, and ends: before the first
 * worker starts, or on a machine that has a network for one that has none. Prints a line every second, then the folder.
 */
async function main(): Promise<void> {
  const settings = engineEnvironment
    .extend({ CURRAWONG_ENGINES_DIR: z.string().default(join(__dirname, '..', '..', '..', 'engines')) })
    .parse(process.env);
  let toldAt = 0;
  const folder = await modelFiles({
    ...modelOptions(settings),
    log: (line) => process.stderr.write(`${line}\n`),
    onProgress: (received, total) => {
      if (Date.now() - toldAt < 1000) return;
      toldAt = Date.now();
      process.stdout.write(`${received} ${total}\n`);
    },
  });
  process.stdout.write(`${folder}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
