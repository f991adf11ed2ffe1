import type { PayloadOf, ReplyOf, ListLanguages, WorkerAnnounced } from '@currawong/contracts';
import { row, rows, type DataSource, type EntityManager } from '@currawong/database';

/** Workers that have said nothing for so long have no say in what is accepted: ten announcements missed. */
const SPEAKS_FOR_SECONDS = 300;
/** And those that have missed two no longer count as hands: restarted ones have another name. */
export const WORKS_FOR_SECONDS = 75;

type Heard = Pick<
  PayloadOf<typeof WorkerAnnounced>,
  'engine' | 'version' | 'model' | 'languages' | 'detects_language'
>;

/** Keeps what a worker says of itself, and forgets those of which nothing was heard for a day. */
export async function keepAnnouncement(
  on: DataSource,
  announced: PayloadOf<typeof WorkerAnnounced>,
): Promise<void> {
  const { worker, engine, version, model, languages, detects_language, slots } = announced;
  await on.query(
    `INSERT INTO workers (worker, engine, version, model, languages, detects_language, slots)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (worker) DO UPDATE
       SET engine = excluded.engine, version = excluded.version, model = excluded.model, languages = excluded.languages,
           detects_language = excluded.detects_language, slots = excluded.slots, heard_at = now()`,
    [worker, engine, version, model, languages, detects_language, slots],
  );
  // After this one was kept: what was heard of last is never forgotten.
  await on.query("DELETE FROM workers WHERE heard_at < now() - interval '1 day'");
}

/** What every engine can recognize that was heard of lately; else what the last one could. */
export async function knownLanguages(on: DataSource): Promise<ReplyOf<typeof ListLanguages>> {
  const heard = await rows<Heard & { is_up: boolean }>(
    on,
    `SELECT engine, version, model, languages, detects_language,
            heard_at > now() - make_interval(secs => ${SPEAKS_FOR_SECONDS}) AS is_up
       FROM workers ORDER BY heard_at DESC, worker`,
  );
  const [latest] = heard;
  if (!latest) return { languages: [], auto: false, engine: null };
  const engine = { name: latest.engine, version: latest.version, model: latest.model };
  const up = heard.filter(({ is_up }) => is_up);
  const common = commonTo(up.length > 0 ? up : [latest]);
  // Engines that share nothing: one of them is on its way out, and the newest stays.
  return { ...(common.languages.length > 0 ? common : commonTo([latest])), engine };
}

function commonTo(engines: readonly Heard[]): { languages: string[]; auto: boolean } {
  const [first, ...others] = engines;
  return {
    languages: first!.languages
      .filter((code) => others.every(({ languages }) => languages.includes(code)))
      .sort(),
    auto: engines.every(({ detects_language }) => detects_language),
  };
}

/** How many pieces of audio the workers that are up recognize at a time. */
export async function slotsUp(on: DataSource | EntityManager): Promise<number> {
  const counted = await row<{ slots: number }>(
    on,
    `SELECT coalesce(sum(slots), 0)::int AS slots FROM workers
      WHERE heard_at > now() - make_interval(secs => ${WORKS_FOR_SECONDS})`,
  );
  return counted!.slots;
}
