import { startPlatform, type TestPlatform } from '@currawong/testing';
import { startBrowser } from '@currawong/testing/browser';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { eventually, Person, query } from './accounts/person';
import { describeWithBrowser } from './browser/describe-with-browser';
import { examined, examinedAsItIs } from './browser/examined';
import { screenshotsFolder, Visitor } from './browser/visitor';
import { Client } from './client';
import { wav } from './recordings';

// What the dashboard does beside transcribing: it tells receivers, sends safely, and lets go of things. In this order.

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

let browser: Browser;
let platform: TestPlatform;
let origin: string;
let folder: string;
let receiver: Server;
let hookUrl: string;
let maya: Visitor;
let page: Page;
let person: Person;
let program: Client;
let secret: string;
let cancelledId: string;
let deliveryId: string;
let shortId: string;
const received: Received[] = [];
let answers: 200 | 410 | 503 = 200;

describeWithBrowser('the dashboard: webhooks, uploads that are repeated, cancelling and deleting', () => {
  beforeAll(async () => {
    rmSync(screenshotsFolder(), { recursive: true, force: true });
    folder = mkdtempSync(join(tmpdir(), 'currawong-dashboard-'));
    receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        response.writeHead(answers).end(answers === 200 ? 'noted' : 'the receiver is being repaired');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/currawong`;
    [platform, browser] = await Promise.all([
      startPlatform({
        services: ['billing', 'jobs', 'worker', 'gateway', 'webhooks'],
        env: {
          RECOGNIZER: 'null',
          // A minute of sound takes half a minute: time enough to watch it and to cancel it.
          NULL_ENGINE_SLEEP_FACTOR: '0.5',
          SWEEP_INTERVAL_SECONDS: '0.2',
          OUTBOUND_ALLOWED_ADDRESSES: '127.0.0.1/32',
          WEBHOOK_POLL_SECONDS: '0.2',
          WEBHOOK_RETRY_SECONDS: '3600',
        },
      }),
      startBrowser(),
    ]);
    origin = platform.baseUrl.replace('127.0.0.1', 'localhost');
    person = new Person(platform.baseUrl);
    await person.signUp();
    await query(platform.databaseUrl, 'UPDATE accounts.accounts SET email_confirmed_at = now()');
    program = new Client(platform.baseUrl, (await person.createKey()).api_key);
    maya = await Visitor.arrive(browser, origin);
    page = maya.page;
    await maya.context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: origin })));
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
    receiver?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** A test of the story that leaves a picture of where it failed. */
  function step(name: string, work: () => Promise<void>, timeoutSeconds = 60): void {
    it(
      name,
      () =>
        work().catch(async (error: unknown) => {
          await maya
            .screenshot(`failed-${name.replace(/\W+/g, '-').slice(0, 60)}`, false)
            .catch(() => undefined);
          throw error;
        }),
      timeoutSeconds * 1000,
    );
  }

  step(
    'an address that may not be called is refused beside its field; another is kept and tried',
    async () => {
      await maya.open('/dashboard/settings/webhooks');
      const field = page.getByLabel('Send to');
      await field.fill('https://10.1.2.3/hook');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.field-error').waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByRole('button', { name: 'Send a test event' }).isDisabled()).toBe(true);
      await field.fill(hookUrl);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').first().waitFor();
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByText('Answered 200').first().waitFor();
      expect(received).toHaveLength(1);
    },
  );

  step('the secret is hidden until it is asked for, and after a replacement both sign', async () => {
    expect(await page.content()).not.toMatch(/whsec_[A-Za-z0-9+/]{8}/);
    await page.getByRole('button', { name: 'Show the secret' }).click();
    await page.getByRole('button', { name: 'Copy the signing secret' }).click();
    secret = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(verified(secret, received[0]!)).toMatchObject({ type: 'webhook.test' });
    await page.getByRole('button', { name: 'Replace it' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replace the signing secret?' });
    await dialog.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByText('The secret was replaced. Give').waitFor();
    const replaced = await page.getByLabel('the signing secret', { exact: true }).innerText();
    expect(replaced).not.toBe(secret);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await eventually(async () => received.length === 2, 'the second test event');
    for (const one of [secret, replaced]) verified(one, received[1]!);
    await page.getByRole('button', { name: 'Hide the secret' }).click();
    expect(await page.content()).not.toContain(replaced);
  });

  step('a recording whose answer was lost is sent again under its key, and is one job', async () => {
    const path = join(folder, 'A long talk.wav');
    writeFileSync(path, wav(90, 440));
    await maya.open('/dashboard/');
    // The recording arrives and is accepted; what is said of it reaches nobody.
    await page.evaluate(`{
      const { send } = XMLHttpRequest.prototype;
      XMLHttpRequest.prototype.send = function (body) {
        XMLHttpRequest.prototype.send = send;
        this.onload = this.onerror;
        return send.call(this, body);
      };
    }`);
    await maya.drop(path);
    await page.getByRole('dialog').getByRole('button', { name: 'Transcribe', exact: true }).click();
    const dock = page.getByRole('region', { name: 'Uploads' });
    await dock.getByText('The service cannot be reached').waitFor();
    await dock.getByRole('button', { name: 'Try again' }).click();
    const accepted = page.getByRole('link', { name: 'Accepted: see the job' });
    await accepted.waitFor();
    const { body } = await person.get<{ total: number; jobs: { id: string }[] }>('/api/v1/jobs');
    expect(body.total).toBe(1);
    cancelledId = body.jobs[0]!.id;
    expect(await accepted.getAttribute('href')).toBe(`/dashboard/jobs/${cancelledId}`);
  });

  step('an unfinished job is followed by its events, cancelled, and leaves a receipt', async () => {
    const listening = page.waitForRequest((request) => request.url().endsWith(`/${cancelledId}/events`));
    await page.getByRole('link', { name: 'Accepted: see the job' }).click();
    await listening;
    await page.getByRole('progressbar', { name: /Share of the work/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    const dialog = page.getByRole('dialog', { name: /^Cancel “A long talk.wav”/ });
    expect(await examinedAsItIs(maya, 'dialog-cancel')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('This job was cancelled').waitFor();
    await page.getByRole('link', { name: 'See the receipt' }).click();
    await page.getByRole('heading', { name: 'Deletion receipt' }).waitFor();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await page.getByText(/^Recording: 1/).waitFor();
    const { body } = await person.get(`/api/v1/jobs/${cancelledId}`);
    expect(body).toMatchObject({ status: 'failed', cost_aud: 0 });
  });

  step('what a receiver refused waits in the log, and is sent again from there', async () => {
    answers = 503;
    const { body } = await program.transcribe({ name: 'Short.wav', bytes: wav(2, 440) });
    shortId = String(body['job_id']);
    await eventually(
      async () => {
        const path = `/api/v1/webhooks/deliveries?status=pending&job_id=${shortId}`;
        const { deliveries } = (await person.get<{ deliveries: { attempt_count: number }[] }>(path)).body;
        return deliveries[0]?.attempt_count === 1;
      },
      'the first attempt',
      40,
    );
    await maya.open('/dashboard/settings/webhooks/deliveries?status=pending');
    const row = page.getByRole('row').filter({ hasText: shortId.slice(-12) });
    await row.getByText('Answered 503').waitFor();
    await row.getByRole('link', { name: 'Job completed' }).click();
    await page.getByText('the receiver is being repaired').waitFor();
    deliveryId = page.url().split('/').at(-1)!;
    answers = 200;
    await page.getByRole('button', { name: 'Send it again' }).click();
    await page.getByText('It was sent again. Answered 200.').waitFor();
    await page.getByText('Delivered').waitFor();
    const last = received.at(-1)!;
    expect(last.headers['webhook-id']).toBe(deliveryId);
    expect(JSON.parse(last.body)).toMatchObject({ type: 'job.completed', data: { id: shortId } });
  });

  step('an address whose receiver is gone is given up, says why, and can be put back into use', async () => {
    await maya.open('/dashboard/settings/webhooks');
    answers = 410;
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('Nothing is sent there').waitFor();
    expect(await page.getByRole('button', { name: 'Send a test event' }).isDisabled()).toBe(true);
    expect(await examinedAsItIs(maya, 'webhooks-given-up')).toEqual([]);
    answers = 200;
    await page.getByRole('button', { name: 'Send there again' }).click();
    await page.getByText('Nothing is sent there').waitFor({ state: 'detached' });
    expect((await person.get('/api/v1/webhooks')).body).toMatchObject({ url: hookUrl, disabled: false });
  });

  step('a finished job is deleted from the list; its address leads to the receipt from then on', async () => {
    await maya.open('/dashboard/jobs');
    await page.getByRole('button', { name: 'Delete Short.wav' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete “Short.wav”/ });
    expect(await examinedAsItIs(maya, 'dialog-delete')).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    const link = page.getByRole('link', { name: 'See the receipt' });
    await link.waitFor();
    // Whoever works by keyboard goes on from here.
    await eventually(
      () => page.evaluate<boolean>(`document.activeElement?.textContent === 'See the receipt'`),
      'the link has the focus',
      5,
    );
    expect((await person.get(`/api/v1/jobs/${shortId}`)).status).toBe(404);
    const before = maya.complaints.length;
    await maya.open(`/dashboard/jobs/${shortId}`);
    await page.waitForURL(`**/jobs/${shortId}/deletion`);
    // The browser itself writes down that the address was answered 404.
    expect(maya.complaints.splice(before).filter((one) => !/status of 404/.test(one))).toEqual([]);
    await page.getByText(/^Recording: 1/).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'JSON' }).click(),
    ]);
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({
      ...{ job_id: shortId, reason: 'client', requested_by: 'session' },
    });
    await maya.open('/dashboard/jobs/deletions');
    expect(await page.getByRole('row').count()).toBe(3);
  });

  step('transcripts are kept for as long as the settings say, and not for less than recordings', async () => {
    await maya.open('/dashboard/settings/account');
    await page.getByRole('checkbox', { name: /^Erase transcripts too/ }).check();
    const days = page.getByLabel('Erase transcripts after this many days');
    const form = page.locator('form').filter({ has: days });
    await days.fill('3');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.locator('.field-error').waitFor();
    await days.fill('400');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Saved').waitFor();
    const { body } = await person.get<{ account: object }>('/api/v1/session');
    expect(body.account).toMatchObject({ transcript_retention_days: 400 });
    expect(await examinedAsItIs(maya, 'settings-retention')).toEqual([]);
  });

  step('the questions before an upload have no barrier', async () => {
    await maya.open('/dashboard/');
    await maya.drop(join(folder, 'A long talk.wav'));
    await page.getByRole('dialog').getByLabel('Language spoken').waitFor();
    expect(await examinedAsItIs(maya, 'dialog-upload')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  step(
    'none of these pages has a barrier or jumps: light and dark, wide and narrow',
    async () => {
      const problems: string[] = [];
      for (const path of [
        '/settings/webhooks',
        '/settings/webhooks/deliveries',
        `/settings/webhooks/deliveries/${deliveryId}`,
        '/jobs/deletions',
        `/jobs/${shortId}/deletion`,
      ])
        problems.push(...(await examined(maya, `/dashboard${path}`, false)));
      // The browser itself writes down that a setting was refused: these were meant to be.
      problems.push(...maya.complaints.filter((complaint) => !/status of 400/.test(complaint)));
      expect(problems).toEqual([]);
    },
    240,
  );
});

/** @throws where the message is not signed with the secret */
function verified(secret: string, { headers, body }: Received): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}
