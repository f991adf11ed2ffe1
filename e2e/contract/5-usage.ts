import { wav } from '../recordings';
import { type Contract } from './contract';

export function usage(here: () => Contract): void {
  it('has the documented fields: dates of the month, two zeros, the plan, numbers', async () => {
    const { body, status } = await here().other.get('/api/v1/usage');
    expect(status).toBe(200);
    expect(body).toEqual({
      billing_period_start: expect.any(String) as string,
      billing_period_end: expect.any(String) as string,
      included_minutes: 0,
      minutes_used: 0,
      minutes_remaining: 0,
      plan_name: 'Pay As You Go',
      balance_aud: 1,
      price_per_minute_aud: 0.02,
    });
  });

  it('the period is the calendar month in Australia/Sydney', async () => {
    const before = sydneyMonth();
    const { body } = await here().other.get('/api/v1/usage');
    // Only at the very end of a month can the two differ.
    expect([before, sydneyMonth()]).toContainEqual([
      body['billing_period_start'],
      body['billing_period_end'],
    ]);
  });

  it('minutes_used counts this period’s minutes by the second, free ones as well', async () => {
    const someone = await here().newCustomer({ freeMinutes: 1, creditAud: '1' });
    await someone.finished(await someone.submit({ name: 'a.wav', bytes: wav(40) }));
    await someone.finished(await someone.submit({ name: 'b.wav', bytes: wav(50) }));
    expect((await someone.get('/api/v1/usage')).body['minutes_used']).toBe(90 / 60);
  });

  it('a 200 verifies a key, and a 401 refutes one', async () => {
    expect((await here().other.get('/api/v1/usage')).status).toBe(200);
    expect((await here().anyone.as('sk_live_nothing').get('/api/v1/usage')).status).toBe(401);
  });
}

function sydneyMonth(): [start: string, end: string] {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Australia/Sydney' }).format(new Date());
  const [year, month] = today.split('-').map(Number) as [number, number];
  const end = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return [`${today.slice(0, 7)}-01`, end];
}
