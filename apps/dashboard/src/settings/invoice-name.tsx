import { fieldError } from '../api/field-problem';
import { useAccount } from '../session/session';
import { TextField } from '../ui/field';
import { ProblemNotice } from '../ui/notice';
import { SaveRow } from './save-row';
import { useAccountForm } from './use-account-form';

export function InvoiceName() {
  const { name } = useAccount();
  const { busy, saved, problem, rest, onSubmit, onChange } = useAccountForm((values) => ({
    name: values['name']?.trim() || null,
  }));
  return (
    <form className="form" onSubmit={onSubmit} onChange={onChange}>
      <TextField
        label="Name"
        hint="Of the business or the person, as statements and tax invoices shall name them"
        name="name"
        defaultValue={name ?? ''}
        maxLength={200}
        autoComplete="organization"
        error={fieldError(problem, 'name')}
      />
      <ProblemNotice problem={rest('name')} />
      <SaveRow busy={busy} saved={saved} />
    </form>
  );
}
