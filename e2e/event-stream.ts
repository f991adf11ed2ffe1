export interface ReceivedEvent {
  event: string;
  id: string | undefined;
  data: Record<string, unknown>;
}

/** Server-Sent Events as a client reads them. */
export class EventStream {
  private buffered = '';
  private readonly events: ReceivedEvent[] = [];
  private ended = false;

  private constructor(
    readonly status: number,
    readonly headers: Headers,
    private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  ) {}

  static async open(url: string, headers: Record<string, string>): Promise<EventStream> {
    const response = await fetch(url, { headers });
    return new EventStream(response.status, response.headers, response.body?.getReader());
  }

  /** The next events, as soon as there are so many; fewer where the stream ends before. */
  async take(count: number): Promise<ReceivedEvent[]> {
    while (this.events.length < count && !this.ended) await this.read();
    return this.events.splice(0, count);
  }

  /** All that is still to come. */
  toEnd(): Promise<ReceivedEvent[]> {
    return this.take(Infinity);
  }

  leave(): void {
    void this.reader?.cancel().catch(() => undefined);
  }

  private async read(): Promise<void> {
    const { done, value } = (await this.reader?.read()) ?? { done: true, value: undefined };
    this.ended = done;
    this.buffered += Buffer.from(value ?? []).toString('utf8');
    const parts = this.buffered.split('\n\n');
    this.buffered = parts.pop()!;
    for (const part of parts) {
      const fields = new Map(part.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      const event = fields.get('event');
      if (event === undefined) continue;
      const data = JSON.parse(fields.get('data')!) as Record<string, unknown>;
      this.events.push({ event, id: fields.get('id'), data });
    }
  }
}
