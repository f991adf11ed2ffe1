import { useState } from 'react';
import { fieldError } from '../api/field-problem';
import { shortAmount } from '../billing/amounts';
import { useAccount } from '../session/session';
import { Check } from '../ui/check';
import { TextField } from '../ui/field';
import { ProblemNotice } from '../ui/notice';
import { SaveRow } from './save-row';
import { useAccountForm } from './use-account-form';

const USUAL_AUD = '5.00';

/** Whether a message comes before the credit ends. */
export function LowBalance() {
  const { email, low_balance_notice_aud: threshold } = useAccount();
  const [wanted, setWanted] = useState(threshold !== null);
  const { busy, saved, problem, rest, onSubmit, onChange } = useAccountForm(({ amount }) => ({
    low_balance_notice_aud: wanted ? (amount ?? '').trim().replace(/^\$\s*/, '') : null,
  }));
  return (
    <form className="form" noValidate onSubmit={onSubmit} onChange={onChange}>
      <Check checked={wanted} onChange={(event) => setWanted(event.target.checked)}>
        Write to {email} when the balance gets low
      </Check>
      {wanted && (
        <div className="short-field">
          <TextField
            label="Below, in Australian dollars"
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            defaultValue={shortAmount(threshold ?? USUAL_AUD).replace(/[$,]/g, '')}
            error={fieldError(problem, 'low_balance_notice_aud')}
          />
        </div>
      )}
      <ProblemNotice problem={rest('low_balance_notice_aud')} />
      <SaveRow busy={busy} saved={saved} />
    </form>
  );
}
