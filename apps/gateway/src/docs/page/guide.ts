import type { GatewayConfig } from '../../config';
import { acceptedExtensions } from '../../transcribe/upload/audio-kind';
import { html, type Html } from './html';

export type GuidedConfig = Pick<
  GatewayConfig,
  | 'FREE_MINUTES'
  | 'MAX_FILE_BYTES'
  | 'RATE_LIMIT_FAILURES_PER_MINUTE'
  | 'RATE_LIMIT_REQUESTS_PER_MINUTE'
  | 'RATE_LIMIT_TRANSCRIBE_PER_MINUTE'
>;

interface GuideSection {
  anchor: string;
  title: string;
  body: Html;
}

/** What has to be known before the first request, in the order in which it is needed. */
export function guide(config: GuidedConfig, baseUrl: string): GuideSection[] {
  return [
    { anchor: 'start', title: 'First transcript', body: start(config, baseUrl) },
    { anchor: 'keys', title: 'Keys', body: keys() },
    { anchor: 'errors', title: 'Errors', body: errors() },
    { anchor: 'charges', title: 'What it costs', body: charges(config) },
    { anchor: 'rate-limits', title: 'Rate limits', body: rateLimits(config) },
  ];
}

function start({ MAX_FILE_BYTES }: GuidedConfig, baseUrl: string): Html {
  const api = `${baseUrl}/api/v1`;
  return html`<ol class="steps">
    <li>
      <p>Make a key in the dashboard (Settings → API keys) and keep it in the shell:</p>
      ${code(`export CURRAWONG_API_KEY='sk_live_…'`, 'placeholder')}
    </li>
    <li>
      <p>
        Send a recording: ${acceptedExtensions.join(' ')}, up to ${MAX_FILE_BYTES / 1_000_000} MB. The answer
        comes as soon as it has arrived.
      </p>
      ${code(
        `JOB=$(curl -sS ${api}/transcribe \\\n  -H "X-API-Key: $CURRAWONG_API_KEY" \\\n  -F file=@talk.mp3 |\n  sed -n 's/.*"job_id":"\\([^"]*\\)".*/\\1/p')\necho "$JOB"`,
      )}
    </li>
    <li>
      <p>Ask for the job until its <code>status</code> is <code>completed</code> or <code>failed</code>:</p>
      ${code(
        `until curl -sS ${api}/jobs/$JOB \\\n    -H "X-API-Key: $CURRAWONG_API_KEY" |\n  grep -E '"status":"(completed|failed)"'\ndo sleep 2; done`,
      )}
      <p>
        <code>transcription</code> has the whole text, <code>diarization</code> a line for each turn,
        <code>segments</code> the times.
      </p>
    </li>
  </ol>`;
}

function keys(): Html {
  return html`<p>
      Every request but the health check carries <code>X-API-Key</code>. A key that is missing, malformed,
      unknown or revoked gives one and the same <code>401</code>; a suspended or closed account gives
      <code>403</code>.
    </p>
    <dl class="pairs">
      <dt><code>sk_live_…</code></dt>
      <dd>Transcribes whole recordings and is charged for.</dd>
      <dt><code>sk_test_…</code></dt>
      <dd>
        The same, without money: the first 60 seconds of a recording, 30 minutes of audio per account and day.
      </dd>
    </dl>
    <p>
      An account has at most three unrevoked keys. A key is shown once. Revoking one takes effect within a
      second. Jobs belong to the account: each of its keys of the same mode sees them, and for everybody else
      they do not exist.
    </p>`;
}

function errors(): Html {
  return html`<p>Every error has the status that fits and one sentence that says what to do:</p>
    ${code('{"detail": "num_speakers: must be a whole number from 1 to 10"}', 'placeholder')}
    <p>
      After any answer but <code>200</code> to a submission nothing is kept: no job, no credit set aside, no
      recording. <code>429</code>, <code>500</code> and <code>503</code> are worth trying again.
    </p>`;
}

function charges({ FREE_MINUTES }: GuidedConfig): Html {
  return html`<ul class="rules">
    <li>
      Audio is charged by the second from a prepaid balance. The standard price is <b>AUD 0.02 a minute</b>,
      and <b>AUD 0.03</b> with tone and sentiment; <code>GET /credit</code> shows yours. A job keeps the price
      at which it was accepted.
    </li>
    <li>
      A new account has <b>${FREE_MINUTES} free minutes</b>, which are used first. Once they are gone, a
      submission needs a balance of at least AUD 0.50.
    </li>
    <li>
      At submission the price is set aside. When the job is completed the exact length is charged, once; a job
      that fails is not charged. So a balance is never below zero.
    </li>
    <li>
      <code>seconds × price ÷ 60</code> is rounded half up to a millionth of a dollar. 40 seconds are AUD
      0.013333.
    </li>
    <li><code>402</code> says what a recording needs and what is there.</li>
  </ul>`;
}

function rateLimits(config: GuidedConfig): Html {
  return html`<dl class="pairs">
      <dt><code>POST /transcribe</code></dt>
      <dd>${config.RATE_LIMIT_TRANSCRIBE_PER_MINUTE} a minute for each key</dd>
      <dt>everything else together</dt>
      <dd>${config.RATE_LIMIT_REQUESTS_PER_MINUTE} a minute for each key</dd>
      <dt>failed authentication</dt>
      <dd>${config.RATE_LIMIT_FAILURES_PER_MINUTE} a minute for each address</dd>
    </dl>
    <p>
      Over the limit the answer is <code>429</code>; after <code>Retry-After</code> seconds the request is
      allowed for certain. Every answer has <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code> and
      <code>RateLimit-Reset</code> (seconds).
    </p>`;
}

/** @param kind `shell` can be pasted as it is */
export function code(text: string, kind: 'shell' | 'placeholder' | 'json' = 'shell'): Html {
  return html`<pre class="${kind}" tabindex="0"><code>${text}</code></pre>`;
}
