import { ButtonLink } from '../ui/button';
import { Page } from '../ui/page';

export function NotFoundPage() {
  return (
    <Page title="There is no such page" lead="The address may be mistyped, or what was there is gone." narrow>
      <p>
        <ButtonLink href="/">Go to the overview</ButtonLink>
      </p>
    </Page>
  );
}
