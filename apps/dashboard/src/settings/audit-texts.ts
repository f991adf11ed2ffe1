import type { AuditEntry } from '@currawong/contracts';

const ACTIONS: Record<string, string> = {
  account_created: 'Account created',
  account_changed: 'Settings changed',
  account_suspended: 'Account suspended',
  account_resumed: 'Account opened again',
  account_closed: 'Account closed',
  signed_in: 'Signed in',
  sign_in_failed: 'Sign-in failed',
  signed_out: 'Signed out',
  email_confirmed: 'Email address confirmed',
  password_changed: 'Password changed',
  password_reset_requested: 'New password asked for',
  identity_linked: 'Identity provider linked',
  key_created: 'Key created',
  key_revoked: 'Key revoked',
  webhook_changed: 'Webhook address changed',
  webhook_disabled: 'Webhook address given up',
  webhook_secret_shown: 'Webhook secret shown',
  webhook_secret_rotated: 'Webhook secret replaced',
};

/** What was done, in words; an action that this page is too old to know is still said, less well. */
export function actionText(action: string): string {
  const words = action.replaceAll('_', ' ');
  return ACTIONS[action] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const ACTORS: Record<AuditEntry['actor'], string> = {
  holder: 'You',
  operator: 'The operator',
  system: 'The service',
};

export function actorText(actor: AuditEntry['actor']): string {
  return ACTORS[actor];
}
