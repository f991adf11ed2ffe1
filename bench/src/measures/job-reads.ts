import autocannon from 'autocannon';
import { newCustomer } from '../customer';
import { figure, shown } from '../figure';
import type { Measurement } from '../measurement';
import { startPeer } from '../peers/peer-process';
import { platforms } from '../platforms';
import { cpuSeconds } from '../process-usage';
import { tone } from '../recordings';
import { inTurns, median, ratiosOfPairs } from '../statistics';

const connections = 10;
/** autocannon counts whole seconds. */
const secondsEach = 2;

export const jobReads: Measurement = {
  name: 'reads',
  title: 'GET /jobs/{id} beside Nest with an empty handler and bare node:http',
  async measure({ pairs, platform, progress }) {
    const started = await platform(platforms.nullEngine);
    const customer = await newCustomer(started);
    const [nest, bare] = await Promise.all([startPeer('nest-answer'), startPeer('bare-answer')]);
    try {
      const { jobId } = await customer.submit(tone(3));
      await customer.completed(jobId, 50);
      const body = (await customer.jobBody(jobId)).toString();
      const targets = {
        ours: [customer.jobUrl(jobId), () => Object.values(started.pids())],
        nest: [await nest.ask<string>({}), () => [nest.pid]],
        bare: [await bare.ask<string>({ body }), () => [bare.pid]],
      } as const;
      const side = (name: keyof typeof targets, seconds = secondsEach) => {
        const [url, pids] = targets[name];
        return () => load(url, name === 'ours' ? customer.headers : {}, pids(), seconds);
      };
      for (const name of ['ours', 'nest', 'bare'] as const) await side(name, 1)();
      const rates = await inTurns(
        pairs,
        { ours: side('ours'), nest: side('nest'), bare: side('bare') },
        (round) => progress(`${round} of ${pairs} rounds`),
      );
      const perSecond = (name: keyof typeof rates) => rates[name].map((one) => one.perSecond);
      const medians = (name: keyof typeof rates) =>
        `${shown(median(perSecond(name)))} req/s (${shown(median(rates[name].map((one) => one.cpuMilliseconds)))} ms CPU each)`;
      const how =
        `autocannon, ${connections} connections, ${secondsEach} s at a time; key, ownership and the row of a finished job ` +
        `(${body.length} bytes). Medians: GET /jobs/{id} ${medians('ours')}, over gateway, jobs, billing and worker; `;
      return [
        figure(ratiosOfPairs(perSecond('ours'), perSecond('nest')), {
          row: 3,
          what: 'GET /jobs/{id} req/s ÷ Nest + Express with an empty handler',
          rangeOf: `${pairs} pairs`,
          aim: { atLeast: 0.9 },
          how: `${how}Nest + Express with a handler that returns nothing, without tracing or request log, ${medians('nest')}.`,
        }),
        figure(ratiosOfPairs(perSecond('ours'), perSecond('bare')), {
          row: 4,
          what: 'GET /jobs/{id} req/s ÷ bare node:http with the same body',
          rangeOf: `${pairs} pairs`,
          aim: { atLeast: 0.48 },
          how: `In the same rounds as row 3: bare node:http ${medians('bare')}.`,
        }),
      ];
    } finally {
      await Promise.all([nest.stop(), bare.stop()]);
      customer.close();
    }
  },
};

async function load(
  url: string,
  headers: Record<string, string>,
  pids: readonly number[],
  seconds: number,
): Promise<{ perSecond: number; cpuMilliseconds: number }> {
  const before = cpuSeconds(pids);
  const result = await autocannon({ url, headers, connections, duration: seconds });
  // A refusal is answered sooner than a job, and would make a fine figure.
  if (result.non2xx > 0 || result.errors > 0 || result['2xx'] === 0)
    throw new Error(
      `${url}: ${result['2xx']} answers, ${result.non2xx} others than 2xx, ${result.errors} errors`,
    );
  return {
    perSecond: result['2xx'] / result.duration,
    cpuMilliseconds: ((cpuSeconds(pids) - before) * 1000) / result['2xx'],
  };
}
