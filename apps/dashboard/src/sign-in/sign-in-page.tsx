import type { SessionBody, SignInOptions } from '@currawong/contracts';
import { Link, useSearch } from 'wouter';
import { send } from '../api/client';
import { fieldError } from '../api/field-problem';
import { useApi } from '../api/use-api';
import { useSession } from '../session/session';
import { Button } from '../ui/button';
import { PasswordField, TextField } from '../ui/field';
import { Notice, ProblemNotice } from '../ui/notice';
import { Frame } from './frame';
import { ProviderButton } from './provider-button';
import { providerProblem } from './provider-problem';
import { useForm } from './use-form';

export default function SignInPage() {
  const { enter } = useSession();
  const search = useSearch();
  const problemCode = new URLSearchParams(search).get('problem');
  const options = useApi<SignInOptions>('/sign-in-options');
  const form = useForm((values) => send<SessionBody>('POST', '/session', values), enter);
  return (
    <Frame title="Sign in">
      {problemCode !== null && (
        <Notice kind="problem">
          <p>{providerProblem(problemCode)}</p>
        </Notice>
      )}
      <form className="form" onSubmit={form.onSubmit}>
        <TextField
          label="Email address"
          name="email"
          type="email"
          autoComplete="username"
          required
          error={fieldError(form.problem, 'email')}
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          error={fieldError(form.problem, 'password')}
        />
        <ProblemNotice problem={form.rest('email', 'password')} />
        <Button kind="main" type="submit" busy={form.busy}>
          Sign in
        </Button>
      </form>
      <p className="form-links">
        <Link href="/forgot-password">Forgot your password?</Link>
        {options.data?.sign_up !== false && (
          <Link href={search ? `/sign-up?${search}` : '/sign-up'}>Open an account</Link>
        )}
      </p>
      <ProviderButton options={options.data} />
    </Frame>
  );
}
