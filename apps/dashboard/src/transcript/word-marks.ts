import { blockOfWord, type ReaderDocument } from './document';
import type { Match } from './search';

/**
 * Marks words on the page: the one being heard, those that were searched for. Sets attributes on their elements and
 * nothing else, so a mark costs the same in a minute of speech and in ten hours. Only paragraphs near the screen have
 * an element per word; one that comes near is marked when it does.
 */
export class WordMarks {
  private readonly paragraphs = new Map<number, HTMLElement>();
  private heard = -1;
  private matches: Match[] = [];
  private chosen = -1;

  constructor(private readonly document: ReaderDocument) {}

  /** @param element the paragraph of block `index`, with one child element per word; null when it is gone */
  setParagraph(index: number, element: HTMLElement | null): void {
    if (!element) {
      this.paragraphs.delete(index);
      return;
    }
    this.paragraphs.set(index, element);
    this.markBlock(index);
  }

  /** The element of a word, where it has one at present. */
  element(word: number): HTMLElement | undefined {
    const block = blockOfWord(this.document.blocks, word);
    if (!block) return undefined;
    return this.paragraphs.get(block.index)?.children[word - block.firstWord] as HTMLElement | undefined;
  }

  /** @returns whether it is another word than before */
  setHeard(word: number): boolean {
    if (word === this.heard) return false;
    this.element(this.heard)?.removeAttribute('data-heard');
    this.heard = word;
    this.element(word)?.setAttribute('data-heard', '');
    return true;
  }

  /** @param chosen the number of the match that the reader is at; -1: none */
  setMatches(matches: Match[], chosen: number): void {
    this.matches = matches;
    this.chosen = chosen;
    for (const index of this.paragraphs.keys()) this.markBlock(index);
  }

  private markBlock(index: number): void {
    const block = this.document.blocks[index];
    const children = this.paragraphs.get(index)?.children;
    if (!block || !children) return;
    for (const child of children) {
      child.removeAttribute('data-found');
      child.removeAttribute('data-heard');
    }
    const end = block.firstWord + block.words.length;
    for (let at = this.firstMatchFrom(block.firstWord); at < this.matches.length; at++) {
      const { first, last } = this.matches[at]!;
      if (first >= end) break;
      for (let word = Math.max(first, block.firstWord); word <= Math.min(last, end - 1); word++) {
        const child = children[word - block.firstWord];
        if (child?.getAttribute('data-found') !== 'here')
          child?.setAttribute('data-found', at === this.chosen ? 'here' : '');
      }
    }
    if (this.heard >= block.firstWord && this.heard < end)
      children[this.heard - block.firstWord]?.setAttribute('data-heard', '');
  }

  /** The first match that reaches to word number `word` or further. */
  private firstMatchFrom(word: number): number {
    let low = 0;
    let high = this.matches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.matches[middle]!.last < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
