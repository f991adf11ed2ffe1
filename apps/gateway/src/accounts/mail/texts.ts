/** A mail in plain text. */
export interface MailText {
  kind: 'confirm_email' | 'reset_password' | 'password_changed' | 'balance_low';
  subject: string;
  body: string;
}

export function confirmEmail(link: string, days: number): MailText {
  return mail('confirm_email', 'Confirm your email address', [
    'A Currawong account was made with this email address. Please confirm that it is yours:',
    link,
    `The link works for ${days} days. If you did not make an account, ignore this message.`,
  ]);
}

export function resetPassword(link: string): MailText {
  return mail('reset_password', 'Set a new password', [
    'Somebody asked for a new password for your Currawong account. Choose it here:',
    link,
    'The link works once, within an hour. If it was not you who asked, ignore this message: your password stays as it is.',
  ]);
}

/** @param revokedKeys how many API keys ended with it */
export function passwordChanged(signInPage: string, revokedKeys: number): MailText {
  const keys =
    revokedKeys === 0
      ? 'Your API keys still work.'
      : `This address had not been confirmed before, so somebody else may have made the account: its API keys (${revokedKeys}) were revoked. Make new ones in the settings.`;
  return mail('password_changed', 'Your password was changed', [
    `The password of your Currawong account was changed just now, and other sessions of yours were ended. ${keys}`,
    'If it was not you, set a new password at once with "Forgot password" on the sign-in page, then look through your API keys and the log of your account in the settings:',
    signInPage,
  ]);
}

/** @param available, threshold amounts in AUD to the cent, as text */
export function balanceLow(available: string, threshold: string, billingPage: string): MailText {
  return mail('balance_low', 'Your balance is running low', [
    `The balance of your Currawong account has fallen below AUD ${threshold}: AUD ${available} can still be spent. Recordings are refused once it is used up.`,
    'Top it up here:',
    billingPage,
    'You can change this amount, or switch these messages off, in the settings of your account.',
  ]);
}

function mail(kind: MailText['kind'], subject: string, paragraphs: string[]): MailText {
  return { kind, subject, body: `${['Hello,', ...paragraphs, 'Currawong'].join('\n\n')}\n` };
}
