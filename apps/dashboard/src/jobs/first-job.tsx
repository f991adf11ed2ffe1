import type { ApiKeyList } from '@currawong/contracts';
import { Link } from 'wouter';
import { useApi } from '../api/use-api';
import { CodeBlock } from '../ui/copy';
import { Empty } from '../ui/empty';

/** For those who have no job yet: both ways to the first one. */
export function FirstJob({ testing }: { testing: boolean }) {
  const keys = useApi<ApiKeyList>('/keys');
  const hasKey = keys.data?.keys.some(
    ({ mode, revoked_at }) => revoked_at === null && (mode === 'test') === testing,
  );
  const kind = testing ? 'test key' : 'key';
  return (
    <Empty title={testing ? 'No test jobs yet.' : 'Nothing has been transcribed yet.'}>
      <p>
        Drop a recording anywhere on this page. For a program of yours,{' '}
        {hasKey ? (
          `put your ${kind} into this command:`
        ) : (
          <>
            <Link href="/settings">make a {kind}</Link> and put it into this command:
          </>
        )}
      </p>
      <CodeBlock what="the example command" code={example(location.origin, testing)} />
    </Empty>
  );
}

function example(origin: string, testing: boolean): string {
  return [
    `curl ${origin}/api/v1/transcribe \\`,
    `  -H 'X-API-Key: ${testing ? 'sk_test_' : 'sk_live_'}…' \\`,
    `  -F 'file=@recording.m4a'`,
  ].join('\n');
}
