import { fieldError } from '../api/field-problem';
import { useAccount } from '../session/session';
import { TextField } from '../ui/field';
import { ProblemNotice } from '../ui/notice';
import { SaveRow } from './save-row';
import { useAccountForm } from './use-account-form';

/** For how long recordings are kept. */
export function Retention() {
  const { audio_retention_days } = useAccount();
  const { busy, saved, problem, rest, onSubmit, onChange } = useAccountForm(({ days }) => ({
    audio_retention_days: Number(days),
  }));
  return (
    <form className="form" onSubmit={onSubmit} onChange={onChange}>
      <div className="short-field">
        <TextField
          label="Erase recordings after this many days"
          hint="From 1 to 365, counted from the end of their job"
          name="days"
          type="number"
          inputMode="numeric"
          min={1}
          max={365}
          required
          defaultValue={audio_retention_days}
          error={fieldError(problem, 'audio_retention_days')}
        />
      </div>
      <p className="small soft">
        Transcripts stay. Fewer days also erase what is older already, and that cannot be undone.
      </p>
      <ProblemNotice problem={rest('audio_retention_days')} />
      <SaveRow busy={busy} saved={saved} />
    </form>
  );
}
