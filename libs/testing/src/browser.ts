import { chromiumRemedy, findChromium } from '@currawong/local-platform';
import { type Browser, chromium } from 'playwright-core';

// Apart from the front door: every test file comes through that, and few want a browser.

/**
 * A headless Chromium of its own, driven by Playwright; the caller closes it.
 * @throws where there is none: ask `findChromium` first
 */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(`There is no Chromium: ${chromiumRemedy}.`);
  return chromium.launch({
    executablePath,
    args: [
      // Chromium refuses its sandbox to root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      // Containers give /dev/shm 64 MB.
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
}
