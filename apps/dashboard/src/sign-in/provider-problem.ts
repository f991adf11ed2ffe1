import type { SignInProblem } from '@currawong/contracts';

/** What became of signing in through an identity provider, by the code that the gateway sends back with. */
export function providerProblem(code: string): string {
  return Object.hasOwn(SENTENCES, code) ? SENTENCES[code as SignInProblem] : SENTENCES.sign_in_failed;
}

const SENTENCES: Record<SignInProblem, string> = {
  provider_unavailable: 'The identity provider does not answer. Try again in a moment, or sign in here.',
  sign_in_failed: 'Signing in through the identity provider did not work. Try again, or sign in here.',
  email_not_verified:
    'The identity provider does not vouch for your email address. Confirm it there, or sign in here.',
  account_not_confirmed:
    'There is an account with this address, and the address is not confirmed yet. Sign in with the password first.',
  sign_up_closed: 'New accounts are made by the operator here. Ask them for one.',
  account_inactive: 'This account is not active. Contact support to have it opened again.',
};
