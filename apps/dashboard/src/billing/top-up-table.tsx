import type { TopUpBody } from '@currawong/contracts';
import { exactMoney } from '../format/money';
import { dateTime } from '../format/time';

const STATES: Record<TopUpBody['state'], string> = {
  open: 'Not paid yet',
  paid: 'Paid',
  expired: 'Not paid in time',
  failed: 'Payment failed',
};

/** The newest twenty. */
export function TopUpTable({ topUps }: { topUps: TopUpBody[] }) {
  return (
    <table className="table">
      <caption className="visually-hidden">Top-ups, newest first</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">State</th>
          <th scope="col" className="right">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {topUps.map((topUp) => (
          <tr key={topUp.id}>
            <td>{dateTime(topUp.paid_at ?? topUp.created_at)}</td>
            <td>
              {STATES[topUp.state]}
              {topUp.state === 'open' && topUp.checkout_url && (
                <>
                  {' · '}
                  <a href={topUp.checkout_url}>Pay now</a>
                </>
              )}
            </td>
            <td className={topUp.state === 'paid' ? 'right number' : 'right number soft'}>
              {exactMoney(topUp.amount_aud)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
