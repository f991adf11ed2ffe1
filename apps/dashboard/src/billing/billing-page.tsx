import { Route, Switch } from 'wouter';
import { useMode } from '../api/mode';
import { NotFoundPage } from '../shell/not-found-page';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { Places } from '../ui/places';
import { CreditPart } from './credit-part';
import { StatementPart } from './statement-part';
import { UsagePart } from './usage-part';
import './billing-page.css';

const PLACES = [
  ['/billing', 'Credit'],
  ['/billing/statement', 'Statement'],
  ['/billing/usage', 'Usage'],
] as const;

/** The account's money: what is there, where it went, and how to add to it. */
export default function BillingPage() {
  return (
    <Switch>
      <Route path="/billing">
        <Frame title="Billing">
          <CreditPart />
        </Frame>
      </Route>
      <Route path="/billing/statement">
        <Frame title="Statement">
          <StatementPart />
        </Frame>
      </Route>
      <Route path="/billing/usage">
        <Frame title="Usage">
          <UsagePart />
        </Frame>
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

function Frame({ title, children }: { title: string; children: React.ReactNode }) {
  const testing = useMode() === 'test';
  return (
    <Page title={title} heading="Billing">
      <Places label="Billing" places={PLACES} />
      {testing && (
        <Notice>
          <p>Test jobs cost nothing. What stands here is about live jobs.</p>
        </Notice>
      )}
      {children}
    </Page>
  );
}
