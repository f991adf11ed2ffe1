import { CustomSource, Input, type InputAudioTrack, type InputFormat, Logging, LogLevel } from 'mediabunny';
import { BudgetSpent, type RangedFile } from './ranged-file';

// What it would print about a file's oddities is for its own developers; ours see the refusal.
Logging.level = LogLevel.Silent;

/**
 * Opens a file with the library and gives its first audio track to `use`; `undefined` when the file has none.
 * @throws BudgetSpent, ReadFailed, or whatever the library makes of a damaged file
 */
export async function withAudioTrack<T>(
  file: RangedFile,
  formats: InputFormat[],
  use: (track: InputAudioTrack) => Promise<T>,
): Promise<T | undefined> {
  let spent: BudgetSpent | undefined;
  const source = new CustomSource({
    getSize: () => file.sizeBytes,
    read: async (start, end) => {
      try {
        return await file.read(start, end);
      } catch (error) {
        if (error instanceof BudgetSpent) spent = error;
        throw error;
      }
    },
    // Reads that nobody waits for any more; the ones that matter reject where they are awaited.
    handleUnhandledError: () => undefined,
  });
  const input = new Input({ source, formats });
  try {
    const track = await input.getPrimaryAudioTrack();
    return track ? await use(track) : undefined;
  } catch (error) {
    throw spent ?? error;
  } finally {
    input.dispose();
  }
}
