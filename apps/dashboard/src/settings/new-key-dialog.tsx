import type { CreatedApiKey } from '@currawong/contracts';
import { useId } from 'react';
import { fieldError } from '../api/field-problem';
import { send } from '../api/client';
import { useForm } from '../sign-in/use-form';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { TextField } from '../ui/field';
import { ProblemNotice } from '../ui/notice';

interface NewKeyDialogProps {
  open: boolean;
  onClose: () => void;
  onCreated: (key: CreatedApiKey) => void;
}

export function NewKeyDialog({ open, onClose, onCreated }: NewKeyDialogProps) {
  return (
    <Dialog open={open} title="Create a key" onClose={onClose}>
      <NewKeyForm onClose={onClose} onCreated={onCreated} />
    </Dialog>
  );
}

/** Inside of the dialog, so that every opening begins anew. */
function NewKeyForm({ onClose, onCreated }: Omit<NewKeyDialogProps, 'open'>) {
  const hintId = useId();
  const { busy, problem, rest, onSubmit } = useForm<CreatedApiKey>(
    ({ name, mode }) => send('POST', '/keys', { name, mode }),
    onCreated,
  );
  return (
    <form className="form" onSubmit={onSubmit}>
      <TextField
        label="Name"
        hint="Where it will be used, so that you know it again"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        autoFocus
        error={fieldError(problem, 'name')}
      />
      <fieldset className="modes">
        <legend>For</legend>
        <label>
          <input type="radio" name="mode" value="live" defaultChecked aria-describedby={`${hintId}-live`} />
          <span>
            <strong>Live</strong>
            <small id={`${hintId}-live`}>Whole recordings, paid from your credit</small>
          </span>
        </label>
        <label>
          <input type="radio" name="mode" value="test" aria-describedby={`${hintId}-test`} />
          <span>
            <strong>Test</strong>
            <small id={`${hintId}-test`}>Free: the first minute of a recording, 30 minutes a day</small>
          </span>
        </label>
      </fieldset>
      <ProblemNotice problem={rest('name')} />
      <div className="form-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" type="submit" busy={busy}>
          Create the key
        </Button>
      </div>
    </form>
  );
}
