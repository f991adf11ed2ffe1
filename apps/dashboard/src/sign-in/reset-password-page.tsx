import type { PasswordResetBody } from '@currawong/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { send } from '../api/client';
import { fieldError } from '../api/field-problem';
import { useSession } from '../session/session';
import { Button, ButtonLink } from '../ui/button';
import { PasswordField } from '../ui/field';
import { Notice, ProblemNotice } from '../ui/notice';
import { Frame } from './frame';
import { useLinkToken } from './link-token';
import { useForm } from './use-form';

export default function ResetPasswordPage() {
  const token = useLinkToken();
  const { refresh } = useSession();
  const [done, setDone] = useState<PasswordResetBody | null>(null);
  const form = useForm(
    ({ password }) => send<PasswordResetBody>('POST', '/password-reset/confirm', { token, password }),
    async (changed) => {
      setDone(changed);
      // Every session has ended, this browser's as well.
      await refresh();
    },
  );
  if (done) {
    return (
      <Frame title="Your password is changed" lead="You are signed out everywhere. Sign in with the new one.">
        {done.revoked_keys > 0 && (
          <Notice>
            <p>
              This address had not been confirmed before, so somebody else may have made the account. Its API
              keys were revoked: make new ones in the settings.
            </p>
          </Notice>
        )}
        <p>
          <ButtonLink kind="main" href="/sign-in">
            Sign in
          </ButtonLink>
        </p>
      </Frame>
    );
  }
  return (
    <Frame title="Choose a new password">
      {token === null ? (
        <Notice kind="problem">
          <p>This address lacks the part that shows who you are. Open the link from the message again.</p>
        </Notice>
      ) : (
        <form className="form" onSubmit={form.onSubmit}>
          <PasswordField
            label="New password"
            name="password"
            hint="At least 10 characters. A few words in a row are easy to keep and hard to guess."
            autoComplete="new-password"
            required
            minLength={10}
            maxLength={256}
            error={fieldError(form.problem, 'password')}
          />
          <ProblemNotice problem={form.rest('password')} />
          <Button kind="main" type="submit" busy={form.busy}>
            Change the password
          </Button>
        </form>
      )}
      <p className="form-links">
        <Link href="/forgot-password">Ask for a new link</Link>
      </p>
    </Frame>
  );
}
