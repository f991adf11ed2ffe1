import { Section } from '../ui/page';
import { CloseAccount } from './close-account';
import { EmailState } from './email-state';
import { InvoiceName } from './invoice-name';
import { LowBalance } from './low-balance';
import { PasswordForm } from './password-form';
import { Retention } from './retention';
import { SignOut } from './sign-out';

/** The account itself. Every form keeps its own change; nothing has to be saved at the end. */
export function AccountPart() {
  return (
    <div className="account-parts">
      <Section title="Email address">
        <EmailState />
      </Section>
      <Section title="Name on invoices">
        <InvoiceName />
      </Section>
      <Section title="Low balance">
        <LowBalance />
      </Section>
      <Section title="How long things are kept">
        <Retention />
      </Section>
      <Section title="Password">
        <PasswordForm />
      </Section>
      <Section title="Sign out">
        <SignOut />
      </Section>
      <Section title="Close the account">
        <CloseAccount />
      </Section>
    </div>
  );
}
