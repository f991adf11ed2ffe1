import type { TopUpBody, TopUpList } from '@currawong/contracts';
import { useState, type FormEvent } from 'react';
import { otherProblem, fieldError } from '../api/field-problem';
import { send, type Problem } from '../api/client';
import { Button } from '../ui/button';
import { TextField } from '../ui/field';
import { Notice, ProblemNotice } from '../ui/notice';
import { offeredAmounts, shortAmount, typedAmount } from './amounts';

/** An amount, then off to the payment page. */
export function TopUpForm({ limits }: { limits: TopUpList }) {
  const { minimum_aud: minimum, maximum_aud: maximum, available } = limits;
  const offered = offeredAmounts(minimum, maximum);
  const [chosen, setChosen] = useState(offered[1] ?? offered[0] ?? 'other');
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  if (!available) {
    return (
      <Notice>
        <p>
          Payments by card are not set up on this installation. Ask whoever runs it to add credit to your
          account.
        </p>
      </Notice>
    );
  }
  const amount = chosen === 'other' ? typedAmount(typed, minimum, maximum) : { amountAud: chosen };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    setProblem(null);
    if ('problem' in amount) {
      setWrong(amount.problem);
      form.querySelector<HTMLInputElement>('input[name="amount"]')?.focus();
      return;
    }
    setWrong(undefined);
    setBusy(true);
    const answer = await send<TopUpBody>('POST', '/top-ups', { amount_aud: amount.amountAud });
    // Busy until the other page is there.
    if (answer.ok && answer.value.checkout_url !== null)
      return window.location.assign(answer.value.checkout_url);
    setBusy(false);
    setProblem(answer.ok ? NO_PAGE : answer.problem);
  };
  return (
    <form className="top-up" noValidate onSubmit={(event) => void submit(event)}>
      <fieldset>
        <legend>Amount in Australian dollars</legend>
        <div className="amounts">
          {[...offered, 'other'].map((each) => (
            <label key={each} className="amount">
              <input
                type="radio"
                name="choice"
                value={each}
                checked={chosen === each}
                onChange={() => setChosen(each)}
              />
              <span className="number">{each === 'other' ? 'Another' : shortAmount(each)}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {chosen === 'other' && (
        <TextField
          label="Your amount"
          hint={`From ${shortAmount(minimum)} to ${shortAmount(maximum)}`}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setWrong(undefined);
          }}
          error={wrong ?? fieldError(problem, 'amount_aud')}
        />
      )}
      <ProblemNotice problem={otherProblem(problem, chosen === 'other' ? ['amount_aud'] : [])} />
      <Button kind="main" type="submit" busy={busy}>
        {'amountAud' in amount ? `Pay ${shortAmount(amount.amountAud)} by card` : 'Pay by card'}
      </Button>
      <p className="small soft">
        You pay on a page of our payment provider; your card number never comes to us.
      </p>
    </form>
  );
}

const NO_PAGE: Problem = {
  status: 0,
  detail: 'The payment provider gave no payment page. Try again in a moment.',
  retryAfterSeconds: null,
};
