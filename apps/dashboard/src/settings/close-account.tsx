import { useState } from 'react';
import { fieldError } from '../api/field-problem';
import { send } from '../api/client';
import { useAccount, useSession } from '../session/session';
import { useForm } from '../sign-in/use-form';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { PasswordField, TextField } from '../ui/field';
import { ProblemNotice } from '../ui/notice';

/** For good. Asked for once more, with what only the holder knows. */
export function CloseAccount() {
  const [open, setOpen] = useState(false);
  return (
    <div className="form">
      <p className="soft">
        Keys stop working and everyone is signed out at once. Credit that is left cannot be spent any more. An
        account cannot be opened again from here.
      </p>
      <div>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Close the account
        </Button>
      </div>
      <Dialog open={open} title="Close this account for good?" onClose={() => setOpen(false)}>
        <ClosingForm onCancel={() => setOpen(false)} />
      </Dialog>
    </div>
  );
}

function ClosingForm({ onCancel }: { onCancel: () => void }) {
  const { email, has_password } = useAccount();
  const { refresh } = useSession();
  const { busy, problem, rest, onSubmit } = useForm(
    ({ confirmation }) => send('POST', '/account/close', { confirmation }),
    // The session has ended with the account, which leads to the sign-in page.
    () => refresh(),
  );
  const field = {
    name: 'confirmation',
    required: true,
    autoFocus: true,
    error: fieldError(problem, 'confirmation'),
  };
  return (
    <form className="form" onSubmit={onSubmit}>
      <p>
        This closes the account of <strong>{email}</strong>. Download the transcripts and statements that you
        want to keep first.
      </p>
      {has_password ? (
        <PasswordField {...field} label="Your password" autoComplete="current-password" />
      ) : (
        <TextField {...field} label="Type your email address" hint={email} type="email" autoComplete="off" />
      )}
      <ProblemNotice problem={rest('confirmation')} />
      <div className="form-buttons">
        <Button onClick={onCancel}>Keep the account</Button>
        <Button kind="danger" type="submit" busy={busy}>
          Close it for good
        </Button>
      </div>
    </form>
  );
}
