import {
  AccountBody,
  AccountChange,
  AccountClosing,
  ApiKeyBody,
  ApiKeyList,
  AuditLog,
  CreatedApiKey,
  DoneBody,
  EmailConfirmation,
  NewApiKey,
  PasswordChange,
  PasswordReset,
  PasswordResetBody,
  PasswordResetRequest,
  SessionBody,
  SignIn,
  SignInOptions,
  SignUp,
  type ErrorCode,
} from '@currawong/contracts';
import type { z } from 'zod';
import { AuditQuery } from '../../accounts/holder/holder.controller';
import type { Answer, Body, Operation, Refusable } from '../operation';
import { ACCOUNT, KEY, KEY_ID } from './examples';

const UNREADABLE = [
  'body_unreadable',
  'Send the body as JSON, with Content-Type: application/json.',
] as const;
const PASSWORD_SHORT = ['invalid_parameter', 'password: must have at least 10 characters'] as const;
const SESSION = { account: ACCOUNT, csrf_token: 'kW3vQ0hX7Zr2mB9s' };
const SESSION_COOKIE = {
  'Set-Cookie': { description: 'The session, HttpOnly.', schema: { type: 'string' } },
};

const json = (schema: z.ZodType, example: unknown): Body => ({
  mediaType: 'application/json',
  schema,
  example,
});
const done = (status: string, description: string): Answer => ({
  description,
  schema: DoneBody,
  example: { status },
});
const reads = (...refusals: Refusable[]): Refusable[] => [UNREADABLE, ...refusals];
const account = (operation: Omit<Operation, 'tag'>): Operation => ({ tag: 'Account', ...operation });
const found = (problem: ErrorCode): Refusable[] =>
  reads(['invalid_parameter', 'token: must not be empty'], problem);

export const ACCOUNT_OPERATIONS: Operation[] = [
  account({
    id: 'getSignInOptions',
    method: 'get',
    path: '/sign-in-options',
    summary: 'Get what the sign-in page may offer',
    access: 'anyone',
    answers: {
      200: {
        description: 'The options.',
        schema: SignInOptions,
        example: { sign_up: true, identity_provider: null },
      },
    },
  }),
  account({
    id: 'signUp',
    method: 'post',
    path: '/sign-up',
    summary: 'Open an account and sign in',
    access: 'anyone',
    body: json(SignUp, {
      email: 'katie@example.com',
      password: 'a long passphrase',
      name: 'Wattle Street Legal',
    }),
    answers: {
      201: { description: 'Signed in.', schema: SessionBody, example: SESSION, headers: SESSION_COOKIE },
    },
    refusals: reads(
      PASSWORD_SHORT,
      'sign_up_closed',
      'email_taken',
      'cross_site_request',
      'too_many_failures',
    ),
  }),
  account({
    id: 'signIn',
    method: 'post',
    path: '/session',
    summary: 'Sign in',
    access: 'anyone',
    body: json(SignIn, { email: 'katie@example.com', password: 'a long passphrase' }),
    answers: {
      200: { description: 'Signed in.', schema: SessionBody, example: SESSION, headers: SESSION_COOKIE },
    },
    refusals: reads(
      ['invalid_parameter', 'email: must be an email address'],
      'wrong_credentials',
      'account_inactive',
      'cross_site_request',
      'too_many_failures',
    ),
  }),
  account({
    id: 'getSession',
    method: 'get',
    path: '/session',
    summary: 'Get who is signed in',
    access: 'session',
    answers: { 200: { description: 'The session.', schema: SessionBody, example: SESSION } },
  }),
  account({
    id: 'signOut',
    method: 'delete',
    path: '/session',
    summary: 'Sign out',
    access: 'session',
    answers: { 200: { ...done('signed out', 'Signed out.'), headers: SESSION_COOKIE } },
  }),
  account({
    id: 'requestPasswordReset',
    method: 'post',
    path: '/password-reset',
    summary: 'Ask for a link to set a new password',
    description: 'The answer is the same whether there is such an account or not.',
    access: 'anyone',
    body: json(PasswordResetRequest, { email: 'katie@example.com' }),
    answers: {
      202: done(
        'sent if there is such an account',
        'Where there is such an account, a message is on its way.',
      ),
    },
    refusals: reads(
      ['invalid_parameter', 'email: must be an email address'],
      'cross_site_request',
      'too_many_failures',
    ),
  }),
  account({
    id: 'resetPassword',
    method: 'post',
    path: '/password-reset/confirm',
    summary: 'Set a new password by the link',
    description:
      'Every session of the account ends. Where its address had not been confirmed before, its keys are revoked as well: somebody else may have made it.',
    access: 'anyone',
    body: json(PasswordReset, { token: 'Zk3tq8', password: 'another long passphrase' }),
    answers: {
      200: {
        description: 'The password is set.',
        schema: PasswordResetBody,
        example: { status: 'changed', revoked_keys: 0 },
      },
    },
    refusals: [...found('link_expired'), 'cross_site_request', 'too_many_failures'],
  }),
  account({
    id: 'requestEmailConfirmation',
    method: 'post',
    path: '/email-confirmation',
    summary: 'Have the confirmation message sent again',
    access: 'session',
    answers: { 202: done('sent', 'A message is on its way.') },
  }),
  account({
    id: 'confirmEmail',
    method: 'post',
    path: '/email-confirmation/confirm',
    summary: 'Confirm an email address by the link',
    description: 'Only whoever is signed in to the account that the link was sent for may do this.',
    access: 'session',
    body: json(EmailConfirmation, { token: 'Zk3tq8' }),
    answers: { 200: done('confirmed', 'The address is confirmed.') },
    refusals: found('link_expired'),
  }),
  account({
    id: 'startIdentityProvider',
    method: 'get',
    path: '/oidc/start',
    summary: 'Sign in through the identity provider',
    access: 'anyone',
    answers: { 302: redirect('To the identity provider.') },
    refusals: [['not_found', 'No identity provider is set up here.'], 'too_many_failures'],
  }),
  account({
    id: 'returnFromIdentityProvider',
    method: 'get',
    path: '/oidc/callback',
    summary: 'Come back from the identity provider',
    access: 'anyone',
    answers: { 302: redirect('To the dashboard, signed in; or to the sign-in page with `problem`.') },
    refusals: [['not_found', 'No identity provider is set up here.'], 'too_many_failures'],
  }),
  account({
    id: 'getAccount',
    method: 'get',
    path: '/account',
    summary: 'Get the account',
    access: 'session',
    answers: { 200: { description: 'The account.', schema: AccountBody, example: ACCOUNT } },
  }),
  account({
    id: 'changeAccount',
    method: 'patch',
    path: '/account',
    summary: 'Change the account’s settings',
    access: 'session',
    body: json(AccountChange, { audio_retention_days: 7, low_balance_notice_aud: '5' }),
    answers: { 200: { description: 'The account.', schema: AccountBody, example: ACCOUNT } },
    refusals: reads(['invalid_parameter', 'audio_retention_days: must be a whole number from 1 to 365']),
  }),
  account({
    id: 'changePassword',
    method: 'put',
    path: '/account/password',
    summary: 'Change the password',
    description: 'All other sessions of the account end.',
    access: 'session',
    body: json(PasswordChange, {
      current_password: 'a long passphrase',
      password: 'another long passphrase',
    }),
    answers: { 200: done('changed', 'The password is changed.') },
    refusals: reads(PASSWORD_SHORT, ['invalid_parameter', 'current_password: is not your password']),
  }),
  account({
    id: 'closeAccount',
    method: 'post',
    path: '/account/close',
    summary: 'Close the account for good',
    description:
      'Keys are answered 403 from then on, and sessions end. `confirmation` is the password, or the email address without one.',
    access: 'session',
    body: json(AccountClosing, { confirmation: 'a long passphrase' }),
    answers: { 200: done('closed', 'The account is closed.') },
    refusals: reads(['invalid_parameter', 'confirmation: is not your password']),
  }),
  account({
    id: 'getAuditLog',
    method: 'get',
    path: '/account/audit-log',
    summary: 'Get what was done on the account, newest first',
    access: 'session',
    query: AuditQuery,
    parameters: { before: { description: 'The `next_before` of the page before.', example: KEY_ID } },
    answers: {
      200: {
        description: 'Twenty entries.',
        schema: AuditLog,
        example: {
          entries: [
            {
              id: '019ab2f1-77ab-7c00-9d21-1a2b3c4d5e6f',
              at: '2026-11-20T22:12:00.000Z',
              action: 'key_created',
              actor: 'holder',
              address: '203.0.113.7',
              detail: 'production',
            },
          ],
          next_before: null,
        },
      },
    },
    refusals: [['invalid_parameter', 'before: must be the next_before of the page before']],
  }),
  account({
    id: 'listKeys',
    method: 'get',
    path: '/keys',
    summary: 'List API keys',
    access: 'session',
    answers: {
      200: {
        description: 'Every key that works and the newest 100 that were revoked; never the keys themselves.',
        schema: ApiKeyList,
        example: { keys: [KEY], maximum_unrevoked: 3 },
      },
    },
  }),
  account({
    id: 'createKey',
    method: 'post',
    path: '/keys',
    summary: 'Make an API key',
    access: 'session',
    body: json(NewApiKey, { name: 'production', mode: 'live' }),
    answers: {
      201: {
        description: 'The only time that the key is shown whole.',
        schema: CreatedApiKey,
        example: { ...KEY, last_used_at: null, api_key: 'sk_live_4fGh…x9Kd' },
      },
    },
    refusals: reads(
      ['invalid_parameter', 'name: must not be empty'],
      'key_limit_reached',
      'too_many_failures',
    ),
  }),
  account({
    id: 'revokeKey',
    method: 'delete',
    path: '/keys/{id}',
    summary: 'Revoke an API key',
    description: 'It is refused everywhere within a second.',
    access: 'session',
    parameters: { id: { description: 'The key’s id.', example: KEY_ID } },
    answers: {
      200: {
        description: 'The key as it is now.',
        schema: ApiKeyBody,
        example: { ...KEY, revoked_at: '2026-11-21T04:00:00.000Z' },
      },
    },
    refusals: ['key_not_found'],
  }),
];

function redirect(description: string): Answer {
  return { description, headers: { Location: { description: 'Where to.', schema: { type: 'string' } } } };
}
