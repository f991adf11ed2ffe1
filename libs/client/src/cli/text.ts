import { writeFileSync } from 'node:fs';
import type { Currawong } from '../client';
import type { TextWish } from './arguments';
import type { Screen } from './screen';

/** Writes to standard output. */
export type Printer = (text: string) => void;

/** The text of a completed job, into a file or onto standard output. */
export async function giveText(
  client: Currawong,
  { id }: { id: string },
  { format, output, words }: TextWish,
  screen: Screen,
  print: Printer,
): Promise<void> {
  const text =
    format === 'json'
      ? `${JSON.stringify(await client.jobs.get(id, { words }), null, 2)}\n`
      : await client.jobs.transcript(id, format);
  if (output === undefined) {
    print(text);
    return;
  }
  writeFileSync(output, text);
  screen.line(`Written to ${output}`);
}
