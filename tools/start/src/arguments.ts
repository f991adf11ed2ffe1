/** What `npm start --` was asked to do. */
export interface StartArguments {
  /** Transcribe one recording, then stop everything. */
  readonly once: boolean;
  /** The recording as it was named; absent for the sample. */
  readonly file?: string;
  readonly speakers?: number;
  readonly language?: string;
  /** Forget the data of earlier starts first. */
  readonly fresh: boolean;
  /** Send the sample recording after the start. */
  readonly demo: boolean;
  readonly help: boolean;
}

export type ParsedArguments = { readonly arguments: StartArguments } | { readonly refusal: string };

export const usage = `npm start -- [options]
  --once [FILE]   transcribe FILE (or the sample recording), print it, stop everything
  --speakers N    how many people speak in it, 1 to 10
  --language L    the language that they speak, for example en
  --fresh         forget accounts, recordings and credit of earlier starts first
  --no-demo       start without transcribing the sample recording
Environment: PORT moves the gateway (default 8080); DATABASE_URL, NATS_URL and S3_ENDPOINT name servers to be used
instead of the embedded ones.`;

/** Refuses whatever it does not know, with a sentence. */
export function parseArguments(words: readonly string[]): ParsedArguments {
  const found: { -readonly [Key in keyof StartArguments]: StartArguments[Key] } = {
    once: false,
    fresh: false,
    demo: true,
    help: false,
  };
  const rest = words.flatMap((word) => (/^--\w+=/.test(word) ? splitOnce(word) : [word]));
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--once') {
      found.once = true;
      if (rest[0] !== undefined && !rest[0].startsWith('--')) found.file = rest.shift() as string;
    } else if (word === '--speakers') {
      const count = Number(rest.shift());
      if (!Number.isInteger(count) || count < 1 || count > 10)
        return refuse('--speakers takes a whole number from 1 to 10.');
      found.speakers = count;
    } else if (word === '--language') {
      const language = rest.shift();
      if (language === undefined || language.startsWith('--'))
        return refuse('--language takes a code such as en.');
      found.language = language;
    } else if (word === '--fresh') found.fresh = true;
    else if (word === '--no-demo') found.demo = false;
    else if (word === '--help' || word === '-h') found.help = true;
    else if (found.once && found.file === undefined && !word.startsWith('-')) found.file = word;
    else return refuse(`${word} is not understood.\n${usage}`);
  }
  return { arguments: found };
}

/** The port of the gateway from PORT. */
export function parsePort(
  text: string | undefined,
): { readonly port: number } | { readonly refusal: string } {
  if (text === undefined || text === '') return { port: 8080 };
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return { port };
  return refuse(`PORT is ${JSON.stringify(text)}; it must be a whole number from 1 to 65535.`);
}

function splitOnce(word: string): [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}

function refuse(refusal: string): { readonly refusal: string } {
  return { refusal };
}
