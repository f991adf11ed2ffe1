import { Accounts } from './accounts';
import { Holder } from './holder/holder';
import { HolderController } from './holder/holder.controller';
import { Housekeeping } from './housekeeping';
import { KeyCache } from './keys/key-cache';
import { KeyUses } from './keys/key-uses';
import { Keys } from './keys/keys';
import { KeysController } from './keys/keys.controller';
import { BalanceNoticesController } from './mail/balance-notices.controller';
import { EmailConfirmationController } from './mail/email-confirmation.controller';
import { EmailConfirmations } from './mail/email-confirmations';
import { MailTransport } from './mail/mail-transport';
import { OutgoingMails } from './mail/outgoing-mails';
import { IdentityProvider } from './oidc/identity-provider';
import { OidcSignIn } from './oidc/oidc-sign-in';
import { OidcController } from './oidc/oidc.controller';
import { OperatorController } from './operator/operator.controller';
import { PasswordResetController } from './passwords/password-reset.controller';
import { Passwords } from './passwords/passwords';
import { Sessions } from './sessions/sessions';
import { ServiceSettings } from './settings/service-settings';
import { AttemptLimits } from './sign-in/attempt-limits';
import { SignIn } from './sign-in/sign-in';
import { SignInController } from './sign-in/sign-in.controller';

/** What this folder gives to the gateway's module. */
export const ACCOUNT_CONTROLLERS = [
  SignInController,
  PasswordResetController,
  EmailConfirmationController,
  OidcController,
  HolderController,
  KeysController,
  OperatorController,
  BalanceNoticesController,
];

export const ACCOUNT_PROVIDERS = [
  Accounts,
  AttemptLimits,
  EmailConfirmations,
  Holder,
  Housekeeping,
  IdentityProvider,
  KeyCache,
  Keys,
  KeyUses,
  MailTransport,
  OidcSignIn,
  OutgoingMails,
  Passwords,
  ServiceSettings,
  Sessions,
  SignIn,
];
