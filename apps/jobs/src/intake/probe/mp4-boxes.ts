import { BudgetSpent, type RangedFile } from './ranged-file';

/** A box of an MP4 or QuickTime file: its type and where its content lies. */
export interface Mp4Box {
  type: string;
  start: number;
  end: number;
}

/**
 * Far more than a recording needs to the end of its index. Headers lie close together, so reading many of them costs no
 * more reads; without a limit of its own a file of nothing but headers would keep the process busy for seconds.
 */
const MOST_BOXES = 5_000;

/** Goes through boxes by their headers alone, whatever they hold, and never through more than a file's worth. */
export class Mp4Boxes {
  private seen = 0;

  constructor(private readonly file: RangedFile) {}

  /**
   * The boxes between two places of the file, in their order; what does not fit ends the row.
   * @throws BudgetSpent where there are more than any recording has
   */
  async *within({ start, end }: { start: number; end: number }): AsyncGenerator<Mp4Box> {
    for (let at = start; at + 8 <= end;) {
      if (++this.seen > MOST_BOXES) throw new BudgetSpent('The file has more boxes than any recording');
      const header = await this.file.read(at, at + 16);
      if (header.length < 8) return;
      const stated = header.readUInt32BE(0);
      if (stated === 1 && header.length < 16) return;
      const headerBytes = stated === 1 ? 16 : 8;
      const sizeBytes = stated === 1 ? Number(header.readBigUInt64BE(8)) : stated === 0 ? end - at : stated;
      if (sizeBytes < headerBytes) return;
      const boxEnd = Math.min(end, at + sizeBytes);
      yield { type: header.toString('latin1', 4, 8), start: at + headerBytes, end: boxEnd };
      at = boxEnd;
    }
  }

  /** The content of a box, as much of it as may be wanted. */
  content(box: Mp4Box, mostBytes: number): Promise<Buffer> {
    return this.file.read(box.start, Math.min(box.end, box.start + mostBytes));
  }
}
