import type { SessionBody, SignInOptions } from '@currawong/contracts';
import { Link, useSearch } from 'wouter';
import { send } from '../api/client';
import { fieldError } from '../api/field-problem';
import { useApi } from '../api/use-api';
import { useSession } from '../session/session';
import { Button, ButtonLink } from '../ui/button';
import { PasswordField, TextField } from '../ui/field';
import { ProblemNotice } from '../ui/notice';
import { Frame } from './frame';
import { ProviderButton } from './provider-button';
import { useForm } from './use-form';

const FIELDS = ['email', 'password', 'name'] as const;

export default function SignUpPage() {
  const { enter } = useSession();
  const search = useSearch();
  const options = useApi<SignInOptions>('/sign-in-options');
  const form = useForm(
    // A name that was left out is absent, not empty.
    ({ name, ...values }) =>
      send<SessionBody>('POST', '/sign-up', { ...values, ...(name?.trim() && { name }) }),
    enter,
  );
  const signIn = search ? `/sign-in?${search}` : '/sign-in';
  if (options.data?.sign_up === false) {
    return (
      <Frame title="Open an account" lead="New accounts are made by the operator here. Ask them for one.">
        <p>
          <ButtonLink href={signIn}>Sign in</ButtonLink>
        </p>
      </Frame>
    );
  }
  return (
    <Frame title="Open an account" lead="The first minutes are free, and no card is needed.">
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
          hint="At least 10 characters. A few words in a row are easy to keep and hard to guess."
          autoComplete="new-password"
          required
          minLength={10}
          maxLength={256}
          error={fieldError(form.problem, 'password')}
        />
        <TextField
          label="Name"
          name="name"
          hint="Yours or that of your business, as it should stand on invoices."
          optional
          autoComplete="organization"
          maxLength={200}
          error={fieldError(form.problem, 'name')}
        />
        <ProblemNotice problem={form.rest(...FIELDS)} />
        <Button kind="main" type="submit" busy={form.busy}>
          Open the account
        </Button>
      </form>
      <p className="form-links">
        <Link href={signIn}>Sign in to an account you have</Link>
      </p>
      <ProviderButton options={options.data} />
    </Frame>
  );
}
