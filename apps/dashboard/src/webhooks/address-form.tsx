import type { WebhookSettings } from '@currawong/contracts';
import { useState } from 'react';
import { send, type Problem } from '../api/client';
import { fieldError } from '../api/field-problem';
import { useRefresh } from '../api/use-api';
import { dateTime } from '../format/time';
import { SaveRow } from '../settings/save-row';
import { useForm } from '../sign-in/use-form';
import { announce } from '../ui/announcer';
import { Button } from '../ui/button';
import { TextField } from '../ui/field';
import { Notice, ProblemNotice } from '../ui/notice';
import { StopSendingDialog } from './stop-sending-dialog';

/** The account's own address: set, taken away, and put back into use after it had been given up. */
export function AddressForm({ settings }: { settings: WebhookSettings }) {
  const refresh = useRefresh();
  const [saved, setSaved] = useState(false);
  const [stopping, setStopping] = useState(false);
  const { busy, problem, rest, onSubmit } = useForm<WebhookSettings>(
    ({ url }) => send('PUT', '/webhooks', { url: url?.trim() }),
    async () => {
      setSaved(true);
      announce('Saved.');
      await refresh('/webhooks');
    },
  );
  return (
    <form
      // Another address is another form: what was typed is what is kept now.
      key={settings.url}
      className="form"
      noValidate
      onSubmit={onSubmit}
      onChange={() => setSaved(false)}
    >
      {settings.disabled && <Disabled settings={settings} />}
      <TextField
        label="Send to"
        hint="Over https. When a job completes or fails, we post a message there: its status, length and cost, and none of its text."
        name="url"
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/hooks/currawong"
        defaultValue={settings.url ?? ''}
        error={fieldError(problem, 'url')}
      />
      <p className="small soft">
        A recording may name another address for itself, in the field <code>webhook_url</code>.
      </p>
      <ProblemNotice problem={rest('url')} />
      <div className="webhook-buttons">
        <SaveRow busy={busy} saved={saved && !busy && !problem} />
        {settings.url !== null && (
          <Button kind="quiet" onClick={() => setStopping(true)}>
            Stop sending
          </Button>
        )}
      </div>
      <StopSendingDialog
        url={stopping ? settings.url : null}
        onClose={() => setStopping(false)}
        onStopped={() => {
          setStopping(false);
          void refresh('/webhooks');
        }}
      />
    </form>
  );
}

function Disabled({ settings: { url, disabled_at, disabled_reason } }: { settings: WebhookSettings }) {
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const enable = async () => {
    setBusy(true);
    const answer = await send<WebhookSettings>('PUT', '/webhooks', { url });
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    announce('Messages are sent there again.');
    await refresh('/webhooks');
  };
  return (
    <>
      <Notice
        kind="problem"
        action={
          <Button small busy={busy} onClick={() => void enable()}>
            Send there again
          </Button>
        }
      >
        <p>
          <strong>Nothing is sent there</strong>
          {disabled_at && ` since ${dateTime(disabled_at)}`}
          {disabled_reason && `. ${disabled_reason[0]!.toUpperCase()}${disabled_reason.slice(1)}`}.
        </p>
      </Notice>
      <ProblemNotice problem={problem} />
    </>
  );
}
