/** What happened when, for whoever has to find out why an invariant broke. */
export class Timeline {
  private readonly lines: string[] = [];
  private readonly beganAt = performance.now();

  constructor(private readonly print: (line: string) => void = () => undefined) {}

  note(text: string): void {
    const line = `${this.seconds().toFixed(1).padStart(7)} s  ${text}`;
    this.lines.push(line);
    this.print(line);
  }

  seconds(): number {
    return (performance.now() - this.beganAt) / 1000;
  }

  toString(): string {
    return this.lines.join('\n');
  }
}
