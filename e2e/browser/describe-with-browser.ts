import { chromiumRemedy, findChromium } from '@currawong/testing';

/** Runs the tests where there is a browser; else reports them as skipped, and says why. */
export const describeWithBrowser = findChromium()
  ? describe
  : (console.warn(`Skipped: there is no Chromium; ${chromiumRemedy}.`), describe.skip);
