import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const SCREENSHOTS_FOLDER = join(__dirname, '..', '..', '.currawong', 'test-reports', 'screenshots');
const axeSource = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs before every page's own scripts: keeps what the browser would tell nobody. */
const WATCH = `
  globalThis.watched = { shift: 0 };
  addEventListener('securitypolicyviolation', (event) =>
    refusedByPolicy(event.violatedDirective + ' ' + event.blockedURI));
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) watched.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Where the pictures of the test file lie that is running; each has a folder, because they may run at the same time. */
export function screenshotsFolder(): string {
  return join(SCREENSHOTS_FOLDER, basename(expect.getState().testPath ?? '', '.e2e.spec.ts'));
}

/** Somebody with a browser window of their own, who notices everything that goes wrong in it. */
export class Visitor {
  /** Errors on the console, exceptions that nobody caught, violations of the content security policy. */
  readonly complaints: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly origin: string,
  ) {}

  static async arrive(browser: Browser, origin: string): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: 'en-AU',
      timezoneId: 'Australia/Sydney',
      // Colours are measured as they are, not on their way from one to another.
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(60_000);
    await context.addInitScript(WATCH);
    const visitor = new Visitor(context, await context.newPage(), origin);
    await context.exposeFunction('refusedByPolicy', (what: string) =>
      visitor.complaints.push(`${visitor.page.url()}: refused by the policy: ${what}`),
    );
    visitor.listen();
    return visitor;
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`);
    await this.settled();
  }

  /** Everything that was asked for is there and drawn. */
  async settled(): Promise<void> {
    await this.page.waitForLoadState('networkidle');
    await this.page.evaluate('document.fonts.ready.then(() => undefined)');
  }

  /** Returns when every colour is the new one: where motion is reduced, changes take a frame for each level of nesting. */
  async wearColours(colorScheme: 'light' | 'dark'): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    await this.page.evaluate(`(async () => {
      for (let still = 0; still < 3;) {
        await new Promise(requestAnimationFrame);
        still = document.getAnimations().length > 0 ? 0 : still + 1;
      }
    })()`);
  }

  /** By how many pixels the page is wider than its window, once it has had the time to follow a change of its width. */
  async overflow(): Promise<number> {
    return this.page.evaluate<number>(`(async () => {
      const overflow = () => document.documentElement.scrollWidth - innerWidth;
      for (let frames = 0; frames < 30 && overflow() > 0; frames++) await new Promise(requestAnimationFrame);
      return overflow();
    })()`);
  }

  /** How much of the window has jumped without anybody having touched it, since the page was opened. */
  async layoutShift(): Promise<number> {
    return this.page.evaluate<number>('watched.shift');
  }

  /** What axe finds against WCAG 2.2 AA, one line for each element. */
  async accessibilityProblems(): Promise<string[]> {
    if (!(await this.page.evaluate<boolean>("'axe' in globalThis"))) await this.page.evaluate(axeSource);
    return this.page.evaluate<string[]>(`
      axe.run(document, {
        runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
        resultTypes: ['violations'],
      }).then(({ violations }) => violations.flatMap((rule) =>
        rule.nodes.map((node) => rule.id + ': ' + node.html.slice(0, 120) + ' ' + node.failureSummary.replace(/\\s+/g, ' '))))
    `);
  }

  async screenshot(name: string, fullPage = true): Promise<void> {
    const folder = screenshotsFolder();
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({
      path: join(folder, `${name}.png`),
      fullPage,
      animations: 'disabled',
    });
  }

  /** Lets files fall onto the middle of the page, as a file manager does. */
  async drop(...files: string[]): Promise<void> {
    const devtools = await this.context.newCDPSession(this.page);
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', { type, x: 700, y: 450, data });
    await devtools.detach();
  }

  /** Bytes on the wire, headers and all, for opening this address with an empty cache. */
  async bytesToOpen(path: string): Promise<number> {
    const devtools = await this.context.newCDPSession(this.page);
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await this.open(path);
    await devtools.detach();
    return bytes;
  }

  async leave(): Promise<void> {
    await this.context.close();
  }

  private listen(): void {
    const { page } = this;
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      // The payment page is somebody else's.
      if (message.type() !== 'error' || !page.url().startsWith(this.origin)) return;
      const { url } = message.location();
      // Whether somebody is signed in is asked by a request that says 401 if not; the browser writes that down itself.
      if (/status of 401/.test(message.text()) && url.endsWith('/api/v1/session')) return;
      this.complaints.push(`${page.url()}: ${message.text()} (${url})`);
    });
  }
}
