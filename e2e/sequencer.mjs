import Sequencer from '@jest/test-sequencer';

/** Files that take long though they are short; the largest first, as jest would begin, would leave them for last. */
const LONG = [
  'e2e/rate-limits',
  'e2e/money',
  'e2e/dashboard',
  'e2e/kill',
  'e2e/disaster/',
  'start/src/start',
  'e2e/contract/contract',
  'e2e/long-recording',
  'e2e/attempts',
  'e2e/transcribe',
];

/** The longest first, so that no single file is left running alone at the end. */
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const rank = ({ path }) => {
      const found = LONG.findIndex((part) => path.includes(part));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(tests)).sort((a, b) => rank(a) - rank(b));
  }
}
