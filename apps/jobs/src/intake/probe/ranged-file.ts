/** A file in the object store as the probe sees it. */
export interface ProbedFile {
  /** Bytes from `start` up to, not including, `end`; `0 <= start < end <= sizeBytes`. */
  read(start: number, end: number): Promise<Buffer>;
  sizeBytes: number;
}

const firstReadBytes = 128 * 1024;
const leastReadBytes = 64 * 1024;

/** The file would have to be read further than its length is worth. */
export class BudgetSpent extends Error {}

/** Thrown out of a parser when the store failed; `cause` is what it failed with. */
export class ReadFailed extends Error {}

/**
 * Ranged reads that are few, remembered and limited. A hostile file can make a parser jump about; it cannot make it
 * read more than the budget.
 */
export class RangedFile {
  readonly sizeBytes: number;
  private readonly fetched: { start: number; bytes: Buffer }[] = [];
  private readFailure: ReadFailed | undefined;

  constructor(
    private readonly file: ProbedFile,
    private remainingBytes: number,
    private remainingReads: number,
  ) {
    this.sizeBytes = file.sizeBytes;
  }

  /** What the store failed with, if it did: a library in between may have swallowed it. */
  get failure(): ReadFailed | undefined {
    return this.readFailure;
  }

  /** The bytes of the range as far as the file has them: shorter, or empty, at its end. */
  async read(start: number, end: number): Promise<Buffer> {
    const from = Math.max(0, Math.floor(start));
    const to = Math.min(this.sizeBytes, Math.ceil(end));
    if (!(from < to)) return Buffer.alloc(0);
    const known = this.fetched.find((part) => part.start <= from && to <= part.start + part.bytes.length);
    const part = known ?? (await this.fetch(from, to));
    return part.bytes.subarray(from - part.start, to - part.start);
  }

  /** The last `lengthBytes` of the file, and where they begin. */
  async tail(lengthBytes: number): Promise<{ start: number; bytes: Buffer }> {
    const start = Math.max(0, this.sizeBytes - lengthBytes);
    return { start, bytes: await this.read(start, this.sizeBytes) };
  }

  private async fetch(from: number, to: number): Promise<{ start: number; bytes: Buffer }> {
    const nearStart = from < firstReadBytes;
    const start = nearStart ? 0 : Math.max(0, Math.min(from, this.sizeBytes - leastReadBytes));
    const end = Math.min(this.sizeBytes, Math.max(to, start + (nearStart ? firstReadBytes : leastReadBytes)));
    this.remainingBytes -= end - start;
    this.remainingReads--;
    if (this.remainingBytes < 0 || this.remainingReads < 0) throw new BudgetSpent('The length lies too deep');
    try {
      const bytes = await this.file.read(start, end);
      if (bytes.length !== end - start)
        throw new Error(`Read ${bytes.length} bytes instead of ${end - start}`);
      const part = { start, bytes };
      this.fetched.push(part);
      return part;
    } catch (error) {
      this.readFailure ??= new ReadFailed('The recording could not be read from the store', { cause: error });
      throw this.readFailure;
    }
  }
}
