import { readFileSync } from 'node:fs';
import { register } from 'prom-client';
import { speechPrograms } from '../quality/speech-corpus';
import { createRecognizer } from './create-recognizer';
import { EngineCrashed } from './recognizer';

/** The process ids of what this process has started. */
function children(): string[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
}

it('a killed engine is started again for the next recording, and counted', async () => {
  const { pythonPath, enginesFolder } = speechPrograms();
  const before = children();
  const engine = await createRecognizer({ engine: 'pocketsphinx', pythonPath, enginesFolder });
  const restarts = async () => {
    const { values } = await register.getSingleMetric('currawong_engine_restarts_total')!.get();
    return values.find(({ labels }) => labels['engine'] === 'pocketsphinx')?.value ?? 0;
  };
  try {
    const second = new Int16Array(16_000);
    const hear = () => engine.recognize(second, [{ start: 0, end: 1 }], { language: 'en' });
    await hear();
    expect(await restarts()).toBe(0);
    const [pid] = children().filter((child) => !before.includes(child));
    process.kill(Number(pid), 'SIGSTOP');
    const lost = hear();
    process.kill(Number(pid), 'SIGKILL');
    await expect(lost).rejects.toBeInstanceOf(EngineCrashed);
    await hear();
    expect(await restarts()).toBe(1);
  } finally {
    await engine.close();
  }
}, 120_000);
