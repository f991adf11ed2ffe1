import { askApart, DataSource, Scraped } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { DUTIES, DUTY_OF_STAGE } from '../dispatch/duties';
import { readBacklog, type Backlog, type WorkInState } from './backlog';

let backlog: Scraped<Backlog> | undefined;

/** Shows what is to be done, from rows: every replica says the same. Absent while the database is away. */
@Injectable()
export class BacklogMetrics {
  constructor(source: DataSource) {
    backlog = new Scraped(() => askApart(source, readBacklog));
  }
}

showing('currawong_jobs', 'Jobs that have not ended', ['state'], ({ jobs }, gauge) => {
  for (const [state, count] of Object.entries(jobs)) gauge.set({ state }, count);
});

showing('currawong_work_items', 'Pieces of work', ['stage', 'state'], ({ work }, gauge) => {
  for (const { stage, state, items } of work) gauge.set({ stage, state }, items);
});

showing(
  'currawong_work_audio_seconds',
  'Length of the audio that queued and running work is about',
  ['duty', 'state'],
  ({ work }, gauge) => {
    for (const duty of DUTIES)
      for (const state of ['queued', 'running'] as const)
        gauge.set(
          { duty, state },
          audioSeconds(work, (item) => DUTY_OF_STAGE[item.stage] === duty && item.state === state),
        );
  },
);

showing(
  'currawong_backlog_audio_seconds',
  'Length of the audio that workers have before them, queued and running; workers are scaled by it',
  ['duty'],
  ({ work }, gauge) => {
    for (const duty of DUTIES)
      gauge.set(
        { duty },
        audioSeconds(work, ({ stage }) => DUTY_OF_STAGE[stage] === duty),
      );
  },
);

showing(
  'currawong_work_oldest_queued_seconds',
  'How long the work that has been queued the longest waits for a worker; 0 when none does',
  ['stage'],
  ({ oldestQueuedSeconds }, gauge) => {
    for (const [stage, seconds] of Object.entries(oldestQueuedSeconds)) gauge.set({ stage }, seconds);
  },
);

showing(
  'currawong_work_waiting_items',
  'Queued pieces of work that wait for the turn of their account: they are not released to the stream yet',
  ['duty'],
  ({ waiting }, gauge) => {
    for (const duty of DUTIES) gauge.set({ duty }, waiting[duty].items);
  },
);

showing(
  'currawong_work_waiting_accounts',
  'Accounts whose work waits for its turn',
  ['duty'],
  ({ waiting }, gauge) => {
    for (const duty of DUTIES) gauge.set({ duty }, waiting[duty].accounts);
  },
);

function showing<Label extends string>(
  name: string,
  help: string,
  labelNames: Label[],
  show: (backlog: Backlog, gauge: Gauge) => void,
): void {
  new Gauge({
    ...{ name, help, labelNames },
    async collect() {
      const known = await backlog?.answer();
      if (known) show(known, this);
      else this.reset();
    },
  });
}

function audioSeconds(work: WorkInState[], counts: (item: WorkInState) => boolean): number {
  return work.filter(counts).reduce((sum, item) => sum + item.audioSeconds, 0);
}
