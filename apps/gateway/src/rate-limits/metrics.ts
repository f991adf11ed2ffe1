import { Counter } from 'prom-client';

export const refusals = new Counter({
  name: 'currawong_rate_limit_refusals_total',
  help: 'Requests refused because a rate limit was exceeded, by what is limited',
  labelNames: ['scope'],
});
