import { useState } from 'react';
import { Link } from 'wouter';
import { fieldError } from '../api/field-problem';
import { useAccount } from '../session/session';
import { Check } from '../ui/check';
import { TextField } from '../ui/field';
import { ProblemNotice } from '../ui/notice';
import { SaveRow } from './save-row';
import { useAccountForm } from './use-account-form';

const USUAL_TRANSCRIPT_DAYS = 365;

/** For how long recordings and transcripts are kept. */
export function Retention() {
  const { audio_retention_days, transcript_retention_days } = useAccount();
  const [erasing, setErasing] = useState(transcript_retention_days !== null);
  const { busy, saved, problem, rest, onSubmit, onChange } = useAccountForm(({ days, transcript_days }) => ({
    audio_retention_days: Number(days),
    transcript_retention_days: erasing ? Number(transcript_days) : null,
  }));
  return (
    <form className="form" noValidate onSubmit={onSubmit} onChange={onChange}>
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
      <Check checked={erasing} onChange={(event) => setErasing(event.target.checked)}>
        Erase transcripts too, and with them the whole job
      </Check>
      {erasing && (
        <div className="short-field">
          <TextField
            label="Erase transcripts after this many days"
            hint="From 1 to 3650, and not before the recordings"
            name="transcript_days"
            type="number"
            inputMode="numeric"
            min={1}
            max={3650}
            required
            defaultValue={transcript_retention_days ?? USUAL_TRANSCRIPT_DAYS}
            error={fieldError(problem, 'transcript_retention_days')}
          />
        </div>
      )}
      <p className="small soft">
        Fewer days also erase what is older already, and that cannot be undone. Of each job that is erased
        whole there is a <Link href="/jobs/deletions">receipt</Link>.
      </p>
      <ProblemNotice problem={rest('audio_retention_days', 'transcript_retention_days')} />
      <SaveRow busy={busy} saved={saved} />
    </form>
  );
}
