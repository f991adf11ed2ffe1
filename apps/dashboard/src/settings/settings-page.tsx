import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shell/not-found-page';
import { Page } from '../ui/page';
import { Places } from '../ui/places';
import { WebhooksPart } from '../webhooks/webhooks-part';
import { AccountPart } from './account-part';
import { KeysPart } from './keys-part';
import { SecurityPart } from './security-part';
import './settings-page.css';

const PLACES = [
  ['/settings', 'API keys'],
  ['/settings/webhooks', 'Webhooks'],
  ['/settings/account', 'Account'],
  ['/settings/security', 'Security'],
] as const;

/** Keys, webhooks, the account itself, and what was done on it. */
export default function SettingsPage() {
  return (
    <Switch>
      <Route path="/settings">
        <Frame title="API keys">
          <KeysPart />
        </Frame>
      </Route>
      <Route path="/settings/webhooks">
        <Frame title="Webhooks">
          <WebhooksPart />
        </Frame>
      </Route>
      <Route path="/settings/account">
        <Frame title="Account">
          <AccountPart />
        </Frame>
      </Route>
      <Route path="/settings/security">
        <Frame title="Security">
          <SecurityPart />
        </Frame>
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

function Frame({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Page title={title} heading="Settings">
      <Places label="Settings" places={PLACES} />
      {children}
    </Page>
  );
}
