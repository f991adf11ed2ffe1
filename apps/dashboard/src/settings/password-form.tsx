import { useRef, useState } from 'react';
import { fieldError } from '../api/field-problem';
import { send } from '../api/client';
import { useAccount, useSession } from '../session/session';
import { useForm } from '../sign-in/use-form';
import { announce } from '../ui/announcer';
import { PasswordField } from '../ui/field';
import { ProblemNotice } from '../ui/notice';
import { SaveRow } from './save-row';

/** A new password; the first one for those who came in through an identity provider. */
export function PasswordForm() {
  const { email, has_password } = useAccount();
  const { refresh } = useSession();
  const [saved, setSaved] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const { busy, problem, rest, onSubmit } = useForm(
    ({ current_password, password }) =>
      send('PUT', '/account/password', { password, ...(has_password && { current_password }) }),
    async () => {
      form.current?.reset();
      setSaved(true);
      announce('The password was changed.');
      await refresh();
    },
  );
  return (
    <form ref={form} className="form" onSubmit={onSubmit} onChange={() => setSaved(false)}>
      {/* For password managers, which must know whose password this is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      {has_password && (
        <PasswordField
          label="Present password"
          name="current_password"
          autoComplete="current-password"
          required
          error={fieldError(problem, 'current_password')}
        />
      )}
      <PasswordField
        label="New password"
        hint="At least 10 characters"
        name="password"
        autoComplete="new-password"
        minLength={10}
        maxLength={256}
        required
        error={fieldError(problem, 'password')}
      />
      <p className="small soft">You stay signed in here; everywhere else you are signed out.</p>
      <ProblemNotice problem={rest('current_password', 'password')} />
      <SaveRow busy={busy} saved={saved} label={has_password ? 'Change the password' : 'Set the password'} />
    </form>
  );
}
