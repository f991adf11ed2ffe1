import { rmSync } from 'node:fs';
import { startPlatform, startStripeServer, type StripeServer, type TestPlatform } from '@currawong/testing';
import { startBrowser } from '@currawong/testing/browser';
import type { Browser, Page } from 'playwright-core';
import { startMailbox, tokenIn, type Mailbox } from './accounts/mailbox';
import { eventually, Person } from './accounts/person';
import { describeWithBrowser } from './browser/describe-with-browser';
import { examined } from './browser/examined';
import { takeReadmeImages } from './browser/readme-images';
import { screenshotsFolder, Visitor } from './browser/visitor';
import { Client } from './client';
import { speech } from './recordings';

// One customer's story in a real browser, in this order; then what holds for every page.
const EMAIL = 'maya@murmuring-paperbark.example';
const PASSWORD = 'paperbark and tea tree';
const MAIN_PAGES = ['/', '/jobs', '/billing', '/settings'];
const OTHER_PAGES = [
  '/billing/statement',
  '/billing/usage',
  '/settings/account',
  '/settings/security',
  '/no-such-page',
];
const OUTER_PAGES = ['/sign-in', '/sign-up', '/forgot-password', '/reset-password#token=x', '/confirm-email'];

let browser: Browser;
let mailbox: Mailbox;
let stripe: StripeServer;
let platform: TestPlatform;
let origin: string;
let maya: Visitor;
let page: Page;
let apiKey: string;
let jobId: string;

describeWithBrowser('the dashboard', () => {
  beforeAll(async () => {
    rmSync(screenshotsFolder(), { recursive: true, force: true });
    [mailbox, stripe, browser] = await Promise.all([startMailbox(), startStripeServer(), startBrowser()]);
    platform = await startPlatform({
      env: {
        ...stripe.environment,
        FREE_MINUTES: '0',
        SMTP_URL: mailbox.url,
        MAIL_FROM: 'Currawong <hello@currawong.example>',
      },
    });
    stripe.sendEventsTo(`${platform.baseUrl}/api/v1/payment-events`);
    origin = platform.baseUrl.replace('127.0.0.1', 'localhost');
    maya = await Visitor.arrive(browser, origin);
    page = maya.page;
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
    await Promise.all([mailbox?.stop(), stripe?.stop()]);
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

  step('a newcomer opens an account, and the first load is under 200 kB', async () => {
    expect(await maya.bytesToOpen('/')).toBeLessThan(200_000);
    await page.getByRole('link', { name: 'Open an account' }).click();
    await page.getByLabel('Email address').fill(EMAIL);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('textbox', { name: /^Name/ }).fill('Murmuring Paperbark Pty Ltd');
    await page.getByRole('button', { name: 'Open the account' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  step(
    'the address is confirmed by the link in the mail, on a device where one signs in for it and out again',
    async () => {
      await page.getByText('Please confirm your email address').waitFor();
      const mail = await eventually(async () => mailbox.to(EMAIL)[0], 'the mail');
      // On a telephone, say, where nobody is signed in yet.
      const telephone = await Visitor.arrive(browser, origin);
      await telephone.open(`/dashboard/confirm-email#token=${tokenIn(mail)}`);
      expect(telephone.page.url()).not.toContain(tokenIn(mail));
      await telephone.page.getByRole('link', { name: 'Sign in', exact: true }).click();
      await telephone.page.getByLabel('Email address').fill(EMAIL);
      await telephone.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
      await telephone.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await telephone.page.getByText('Your email address is confirmed').waitFor();
      expect(await telephone.page.evaluate('sessionStorage.length')).toBe(0);
      // Signing out that does not succeed says so, and looks like nothing else.
      await telephone.page.route('**/api/v1/session', (route) =>
        route.request().method() === 'DELETE' ? route.abort() : route.continue(),
      );
      await telephone.open('/dashboard/');
      await telephone.page.getByRole('button', { name: 'Account', exact: true }).click();
      await telephone.page.getByRole('button', { name: 'Sign out' }).click();
      await telephone.page.getByText('The service cannot be reached').waitFor();
      await telephone.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await telephone.page.unrouteAll();
      await telephone.page.getByRole('button', { name: 'Sign out' }).click();
      await telephone.page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
      await telephone.context.close();
      await maya.open('/dashboard/');
      expect(await page.getByText('Please confirm your email address').count()).toBe(0);
    },
  );

  step('a key is made, and copied from the dialog that shows it once', async () => {
    await maya.open('/dashboard/settings');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const asking = page.getByRole('dialog', { name: 'Create a key' });
    await asking.getByLabel('Name').fill('Transcription robot');
    await asking.getByRole('button', { name: /^Create/ }).click();
    const showing = page.getByRole('dialog', { name: /Transcription robot/ });
    await showing.getByRole('button', { name: 'Copy the API key' }).click();
    apiKey = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(apiKey).toMatch(/^sk_live_/);
    await showing.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Revoke Transcription robot' }).waitFor();
    expect(await page.content()).not.toContain(apiKey);
  });

  step('credit is bought on the payment page, and the balance shows it', async () => {
    await maya.open('/dashboard/billing');
    await page.getByRole('radio', { name: 'Another' }).check();
    await page.getByLabel('Your amount').fill('25');
    await page.getByRole('button', { name: /^Pay .* by card$/ }).click();
    await page.getByRole('button', { name: 'Pay AUD 25.00' }).click();
    await page.getByText('was added to your balance').waitFor();
    await page.getByRole('definition').filter({ hasText: '$25.00' }).first().waitFor();
  });

  step(
    'a recording that is dropped on the page is transcribed before the eyes',
    async () => {
      await maya.open('/dashboard/');
      await maya.drop(speech().path);
      const dialog = page.getByRole('dialog', { name: 'Transcribe a recording' });
      await dialog.getByLabel('Speakers').selectOption('1');
      await dialog.getByRole('button', { name: 'Transcribe', exact: true }).click();
      await page.getByRole('link', { name: 'Accepted: see the job' }).click();
      await page.waitForURL('**/dashboard/jobs/*');
      jobId = page.url().split('/').at(-1)!;
      // Without a reload: the page that waited becomes the transcript.
      await page.getByRole('region', { name: 'Transcript' }).waitFor({ timeout: 60_000 });
    },
    90,
  );

  step(
    'the recording plays, the word that is heard is marked, and a click on a word goes there',
    async () => {
      const currentTime = () =>
        page.locator('audio').evaluate<number, { currentTime: number }>((audio) => audio.currentTime);
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await page.locator('[data-heard]').waitFor();
      const before = await currentTime();
      await eventually(async () => (await currentTime()) > before + 0.5, 'the recording goes on');
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      const { body } = await new Client(platform.baseUrl, apiKey).get(`/api/v1/jobs/${jobId}?words=true`);
      const words = (body['segments'] as { words: { text: string; start: number; end: number }[] }[]).flatMap(
        (segment) => segment.words,
      );
      const last = words.at(-1)!;
      expect(await page.locator('.word').count()).toBe(words.length);
      await page.locator('.word').last().click();
      await eventually(
        async () =>
          Math.abs((await currentTime()) - last.start) < 1 && (await currentTime()) >= last.start - 0.1,
        'the recording is where the word is said',
      );
    },
  );

  step('a speaker gets a name, which stays', async () => {
    const speakers = page.getByRole('complementary', { name: 'About this transcript' });
    await speakers.getByRole('button', { name: 'Speaker 1' }).click();
    await speakers.getByLabel('Name of Speaker 1').fill('Elinor');
    await page.keyboard.press('Enter');
    await speakers.getByRole('button', { name: 'Elinor' }).waitFor();
    await maya.settled();
    await page.reload();
    await speakers.getByRole('button', { name: 'Elinor' }).waitFor();
    const text = await fetch(`${platform.baseUrl}/api/v1/jobs/${jobId}/transcript?format=txt`, {
      headers: { 'X-API-Key': apiKey },
    });
    expect(await text.text()).toContain('Elinor');
  });

  step('the statement shows the top-up and the charge', async () => {
    const { body } = await new Client(platform.baseUrl, apiKey).get(`/api/v1/jobs/${jobId}`);
    const cost = Number(body['cost_aud']);
    expect(cost).toBeCloseTo((Number(body['audio_duration_seconds']) * 0.02) / 60, 6);
    await maya.open('/dashboard/billing/statement');
    const rows = page.getByRole('row');
    const ofTheJob = rows.filter({ has: page.locator(`a[href$="/jobs/${jobId}"]`) });
    expect((await ofTheJob.innerText()).replace(/\s/g, '')).toContain(cost.toFixed(6));
    await rows.filter({ hasText: '25.00' }).first().waitFor();
  });

  step('the key works for a program until it is revoked', async () => {
    const program = new Client(platform.baseUrl, apiKey);
    expect((await program.get('/api/v1/usage')).status).toBe(200);
    await maya.open('/dashboard/settings');
    await page.getByRole('button', { name: 'Revoke Transcription robot' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await eventually(
      async () => (await program.get('/api/v1/usage')).status === 401,
      'the key is refused',
      5,
    );
  });

  step('another account sees nothing of it', async () => {
    const stranger = new Person(platform.baseUrl);
    await stranger.signUp();
    const visitor = await Visitor.arrive(browser, origin);
    await visitor.context.addCookies(
      [...stranger.cookies].map(([name, value]) => ({ name, value, url: origin })),
    );
    await visitor.open('/dashboard/jobs');
    await visitor.page.getByText('Nothing has been transcribed yet.').waitFor();
    await visitor.open(`/dashboard/jobs/${jobId}`);
    await visitor.page.getByText('There is no job at this address').waitFor();
    expect(await visitor.page.content()).not.toContain(speech().name);
    // The browser itself writes down that the address was answered 404.
    expect(visitor.complaints.filter((complaint) => !/status of 404/.test(complaint))).toEqual([]);
    await visitor.leave();
  });

  step('somebody without a mouse signs in, and sees where the focus is', async () => {
    const visitor = await Visitor.arrive(browser, origin);
    await visitor.open('/dashboard/sign-in');
    await visitor.page.getByLabel('Email address').waitFor();
    await tabTo(visitor.page, (label) => label.startsWith('Email address'));
    await visitor.page.keyboard.type(EMAIL);
    await tabTo(visitor.page, (label) => label === 'Password');
    await visitor.page.keyboard.type(PASSWORD);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await visitor.leave();
  });

  step(
    'no page has a barrier or jumps: light and dark, wide and narrow',
    async () => {
      const outside = await Visitor.arrive(browser, origin);
      const isMain = (path: string) =>
        [...MAIN_PAGES, `/jobs/${jobId}`].some((main) => path === `/dashboard${main}`);
      const examine = async (visitor: Visitor, paths: string[]) => {
        const problems: string[] = [];
        for (const path of paths) problems.push(...(await examined(visitor, path, isMain(path))));
        return [...problems, ...visitor.complaints];
      };
      const problems = await Promise.all([
        examine(outside, [...OUTER_PAGES.map((path) => `/dashboard${path}`), '/docs']),
        examine(
          maya,
          [...MAIN_PAGES, ...OTHER_PAGES, `/jobs/${jobId}`].map((path) => `/dashboard${path}`),
        ),
      ]);
      await outside.leave();
      expect(problems.flat()).toEqual([]);
    },
    600,
  );

  // Not a test: what CONTRIBUTING.md says about pictures.
  if (process.env['CURRAWONG_README_IMAGES'])
    it(
      'the pictures of the README are taken',
      () => takeReadmeImages(browser, platform, mailbox, origin),
      300_000,
    );
});

/** Presses Tab until the focus is on what is wanted; every stop on the way must show that it has the focus. */
async function tabTo(page: Page, wanted: (label: string) => boolean): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate<{ label: string; outline: string; shadow: string }>(`(() => {
      const element = document.activeElement;
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      const label = element.labels?.[0]?.textContent ?? element.textContent;
      return { label: label.trim(), outline: outlineStyle, shadow: boxShadow };
    })()`);
    expect(focus).not.toMatchObject({ outline: 'none', shadow: 'none' });
    if (wanted(focus.label)) return;
  }
  throw new Error('the Tab key never got there');
}
