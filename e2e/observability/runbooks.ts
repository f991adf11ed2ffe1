import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from './rules';

export const runbooksFolder = join(repositoryFolder, 'docs', 'runbooks');

/** The text of every page, by the name of its file. */
export function readRunbooks(): Map<string, string> {
  return new Map(
    readdirSync(runbooksFolder).map((name) => [name, readFileSync(join(runbooksFolder, name), 'utf8')]),
  );
}

/** The lines of a page that go into Prometheus: each is a whole query. */
export function runbookQueries(page: string): string[] {
  return [...page.matchAll(/^```promql\n([^`]*)^```/gm)].flatMap(([, block]) => block!.trim().split('\n'));
}
