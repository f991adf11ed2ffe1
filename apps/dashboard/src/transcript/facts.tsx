import type { JobDetail } from '@currawong/contracts';
import { numberMoney } from '../format/money';
import { clock, dateTime, inWords } from '../format/time';

/** What there is to know of a job besides its text. */
export function Facts({ job }: { job: JobDetail }) {
  const facts: [name: string, value: string | undefined, spoken?: string][] = [
    ['Sent', dateTime(job.created_at)],
    ['Language', languageName(job.language)],
    job.audio_duration_seconds === null
      ? ['Length', undefined]
      : ['Length', clock(job.audio_duration_seconds), inWords(job.audio_duration_seconds)],
    ['Engine', job.engine ? engineName(job.engine) : undefined],
    ['Cost', job.cost_aud === null ? undefined : job.cost_aud === 0 ? 'Free' : numberMoney(job.cost_aud)],
  ];
  return (
    <dl className="facts">
      {facts.map(
        ([name, value, spoken]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="number">
                {spoken === undefined ? (
                  value
                ) : (
                  <>
                    <span aria-hidden="true">{value}</span>
                    <span className="visually-hidden">{spoken}</span>
                  </>
                )}
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** `faster-whisper 1.2.1, small` */
function engineName({ name, version, model }: NonNullable<JobDetail['engine']>): string {
  return `${name} ${version}${model ? `, ${model}` : ''}`;
}

function languageName(code: string): string {
  if (code === 'auto') return 'To be found out';
  try {
    return new Intl.DisplayNames('en-AU', { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}
