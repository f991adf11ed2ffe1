import type { TopUp } from '../storage/top-ups';

/** How a payment session stands, whether an event said so or the provider was asked. */
export interface SessionReport {
  sessionId: string;
  /**
   * `payable`: the customer may still pay; `waiting`: they have confirmed and the money is on its way; `paid`,
   * `failed` and `expired` are ends.
   */
  standing: 'payable' | 'waiting' | 'paid' | 'failed' | 'expired';
  /** What the customer paid or was to pay. */
  amountCents: number | null;
  currency: string | null;
}

/** What follows: nothing, a changed top-up, or a paid one that is to be booked together with its change. */
export type Settling =
  | { result: 'repeated' | 'waiting' }
  | { result: 'changed'; topUp: TopUp }
  | { result: 'paid'; topUp: TopUp }
  /** Money of which nothing is booked: `topUp` where its row is to say so, `problem` in words for the operator. */
  | { result: 'mismatch'; topUp?: TopUp; problem: string };

/**
 * Reports come in any order and any number of times. Paid is final and wins over everything else, because money that was
 * taken must be booked; otherwise the first end that is heard of stays.
 */
export function settle(topUp: TopUp, report: SessionReport): Settling {
  const { sessionId } = report;
  if (topUp.sessionId !== null && topUp.sessionId !== sessionId) {
    return { result: 'mismatch', problem: `session ${sessionId} is not the one of this top-up` };
  }
  if (topUp.state === 'paid') return { result: 'repeated' };
  const unsettled = topUp.state === 'starting' || topUp.state === 'open';
  switch (report.standing) {
    case 'payable':
      return { result: 'waiting' };
    case 'waiting':
      return topUp.state === 'starting' || topUp.checkoutUrl !== null
        ? { result: 'changed', topUp: { ...topUp, state: 'open', sessionId, checkoutUrl: null } }
        : { result: 'waiting' };
    case 'failed':
    case 'expired':
      if (!unsettled) return { result: 'repeated' };
      return {
        result: 'changed',
        topUp: { ...topUp, state: report.standing, sessionId, checkoutUrl: null },
      };
    case 'paid':
      return paid(topUp, report);
  }
}

function paid(topUp: TopUp, { sessionId, amountCents, currency }: SessionReport): Settling {
  if (currency !== 'aud' || amountCents === null || BigInt(amountCents) * 10_000n !== topUp.amountMicroAud) {
    const wanted = topUp.amountMicroAud / 10_000n;
    const problem = `${wanted} cents aud were asked for and ${amountCents} cents ${currency} paid`;
    const failed = { ...topUp, state: 'failed' as const, sessionId, checkoutUrl: null, problem };
    return { result: 'mismatch', problem, ...(topUp.problem === problem ? {} : { topUp: failed }) };
  }
  return {
    result: 'paid',
    topUp: { ...topUp, state: 'paid', sessionId, checkoutUrl: null, problem: null },
  };
}
