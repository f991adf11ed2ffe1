import type { ApiKeyBody, ApiKeyList, CreatedApiKey } from '@currawong/contracts';
import { useState } from 'react';
import { useApi, useRefresh } from '../api/use-api';
import { Button } from '../ui/button';
import { Empty } from '../ui/empty';
import { ProblemNotice } from '../ui/notice';
import { Section } from '../ui/page';
import { Loading, Skeleton } from '../ui/skeleton';
import { CreatedKeyDialog } from './created-key-dialog';
import { KeyTable } from './key-table';
import { NewKeyDialog } from './new-key-dialog';
import { RevokeKeyDialog } from './revoke-key-dialog';

type Open =
  | { dialog: 'new' }
  | { dialog: 'created'; key: CreatedApiKey }
  | { dialog: 'revoke'; key: ApiKeyBody }
  | null;

/** The keys that programs sign in with. */
export function KeysPart() {
  const { data, error, isPending, refetch } = useApi<ApiKeyList>('/keys');
  const refresh = useRefresh();
  const [open, setOpen] = useState<Open>(null);
  const usable = data?.keys.filter((key) => key.revoked_at === null) ?? [];
  const revoked = data?.keys.filter((key) => key.revoked_at !== null) ?? [];
  const full = data !== undefined && usable.length >= data.maximum_unrevoked;
  return (
    <>
      <Section
        title="API keys"
        aside={
          <Button kind="main" disabled={!data || full} onClick={() => setOpen({ dialog: 'new' })}>
            Create a key
          </Button>
        }
      >
        <p className="soft measure">
          A program sends its key in the header <code>X-API-Key</code>. Whoever has a live key spends your
          credit: keep keys out of web pages and repositories.
          {full && ` An account has at most ${data.maximum_unrevoked} keys; revoke one to create another.`}
        </p>
        <ProblemNotice problem={data ? null : error} onRetry={() => void refetch()} />
        {isPending && (
          <>
            <Loading what="the keys" />
            <p className="keys-wait" aria-hidden="true">
              <Skeleton width={24} />
            </p>
          </>
        )}
        {data && usable.length === 0 && (
          <Empty title="No keys yet">
            <p>Create one to use the API from your own programs. This page works without.</p>
          </Empty>
        )}
        {usable.length > 0 && (
          <KeyTable keys={usable} caption="Keys" onRevoke={(key) => setOpen({ dialog: 'revoke', key })} />
        )}
      </Section>
      {revoked.length > 0 && (
        <Section title="Revoked keys">
          <KeyTable keys={revoked} caption="Revoked keys" />
        </Section>
      )}
      <NewKeyDialog
        open={open?.dialog === 'new'}
        onClose={() => setOpen(null)}
        onCreated={(key) => {
          setOpen({ dialog: 'created', key });
          void refresh('/keys');
        }}
      />
      <CreatedKeyDialog
        created={open?.dialog === 'created' ? open.key : null}
        onClose={() => setOpen(null)}
      />
      <RevokeKeyDialog
        apiKey={open?.dialog === 'revoke' ? open.key : null}
        onClose={() => setOpen(null)}
        onRevoked={() => {
          setOpen(null);
          void refresh('/keys');
        }}
      />
    </>
  );
}
