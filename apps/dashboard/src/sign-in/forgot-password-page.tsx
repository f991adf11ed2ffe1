import { useState } from 'react';
import { Link } from 'wouter';
import { send } from '../api/client';
import { fieldError } from '../api/field-problem';
import { Button } from '../ui/button';
import { TextField } from '../ui/field';
import { Notice, ProblemNotice } from '../ui/notice';
import { Frame } from './frame';
import { useForm } from './use-form';

export default function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm(
    async ({ email = '' }) => {
      const answer = await send('POST', '/password-reset', { email });
      return answer.ok ? { ok: true, value: email } : answer;
    },
    (email) => setSentTo(email),
  );
  return (
    <Frame title="Forgot your password" lead="We send you a link with which you choose a new one.">
      {sentTo === null ? (
        <form className="form" onSubmit={form.onSubmit}>
          <TextField
            label="Email address"
            name="email"
            type="email"
            autoComplete="username"
            required
            error={fieldError(form.problem, 'email')}
          />
          <ProblemNotice problem={form.rest('email')} />
          <Button kind="main" type="submit" busy={form.busy}>
            Send the link
          </Button>
        </form>
      ) : (
        <Notice kind="done">
          <p>
            If there is an account for {sentTo}, a message is on its way. Look among the unwanted mail as well
            if it does not come within a few minutes.
          </p>
        </Notice>
      )}
      <p className="form-links">
        <Link href="/sign-in">Back to sign in</Link>
      </p>
    </Frame>
  );
}
