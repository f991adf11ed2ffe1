import type { SpeakerNames } from '@currawong/contracts';
import { useCallback, useId, useRef, type FocusEvent, type KeyboardEvent, type MouseEvent } from 'react';
import type { ReaderDocument } from './document';
import type { PlaybackControls } from './playback';
import { TurnList } from './turn-list';
import type { WordMarks } from './word-marks';

interface TranscriptTextProps {
  document: ReaderDocument;
  marks: WordMarks;
  names: SpeakerNames;
  showDoubtful: boolean;
  /** Undefined where there is nothing to hear: then it is only text. */
  playback: PlaybackControls | undefined;
  onRename: (speaker: string, name: string) => void;
  onJump: () => void;
}

/**
 * The text. A click on a word plays from there. For the keyboard it is one stop: the arrow keys go from word to word and
 * from paragraph to paragraph, Enter plays. A word is a control only while it has the focus, so that the text stays
 * text for those who have it read out.
 */
export function TranscriptText({
  document,
  marks,
  names,
  showDoubtful,
  playback,
  onRename,
  onJump,
}: TranscriptTextProps) {
  const region = useRef<HTMLDivElement>(null);
  const hintId = useId();
  const cursor = useRef(-1);
  const playFrom = useCallback(
    (seconds: number) => {
      onJump();
      playback?.seek(seconds);
      playback?.play();
    },
    [playback, onJump],
  );

  const onClick = (event: MouseEvent<HTMLDivElement>) => {
    const word = wordOf(event.target, document);
    const selecting = window.getSelection()?.isCollapsed === false;
    if (word === undefined || selecting || !playback) return;
    playFrom(document.words[word]!.start);
    // The pointer goes on working the player: its arrow keys shall not become those of the text.
    if (globalThis.document.activeElement === region.current) region.current?.blur();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const isWord = event.target instanceof Element && event.target.matches('.word');
    if (!isWord && event.target !== region.current) return;
    if (event.key === 'Enter' && isWord && playback) {
      event.preventDefault();
      return playFrom(document.words[cursor.current]!.start);
    }
    const next = wordAfterKey(event.key, isWord ? cursor.current : -1, document, region.current!);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    cursor.current = next;
    focusWord(next, marks, document, region.current!);
  };
  const onBlur = (event: FocusEvent<HTMLDivElement>) => {
    if (!event.target.matches('.word')) return;
    event.target.removeAttribute('tabindex');
    event.target.removeAttribute('role');
  };
  return (
    <div
      ref={region}
      className={showDoubtful ? 'transcript-text show-doubtful' : 'transcript-text'}
      role="region"
      aria-label="Transcript"
      aria-describedby={playback && hintId}
      tabIndex={playback ? 0 : undefined}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      data-playable={playback ? '' : undefined}
    >
      {playback && (
        <p id={hintId} hidden>
          Arrow keys go from word to word, Enter plays from the word.
        </p>
      )}
      <TurnList
        document={document}
        marks={marks}
        names={names}
        onPlayFrom={playback && playFrom}
        onRename={onRename}
      />
    </div>
  );
}

/** The number of the word that an element shows. */
function wordOf(target: EventTarget, { blocks }: ReaderDocument): number | undefined {
  const element = target instanceof Element ? target.closest('.word') : null;
  const paragraph = element?.parentElement;
  if (!element || !paragraph) return undefined;
  const block = blocks[Number(paragraph.dataset['block'])];
  return block && block.firstWord + [...paragraph.children].indexOf(element);
}

function wordAfterKey(
  key: string,
  from: number,
  document: ReaderDocument,
  region: HTMLElement,
): number | undefined {
  if (!['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].includes(key)) return undefined;
  if (from < 0) return firstWordOnScreen(document, region);
  const { words, blocks } = document;
  const block = blocks.findLastIndex(({ firstWord }) => firstWord <= from);
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, from - 1);
    case 'ArrowRight':
      return Math.min(words.length - 1, from + 1);
    case 'ArrowUp':
      return blocks[Math.max(0, block - 1)]!.firstWord;
    default:
      return blocks[Math.min(blocks.length - 1, block + 1)]!.firstWord;
  }
}

/** The word being heard where it is on the screen, else the first one that is. */
function firstWordOnScreen(document: ReaderDocument, region: HTMLElement): number {
  const isOnScreen = (element: Element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  };
  const heard = region.querySelector('[data-heard]');
  const shown = heard && isOnScreen(heard) ? heard : [...region.querySelectorAll('.word')].find(isOnScreen);
  return shown ? (wordOf(shown, document) ?? 0) : 0;
}

/** A paragraph that was far away has no elements for its words before it has come near. */
function focusWord(
  word: number,
  marks: WordMarks,
  document: ReaderDocument,
  region: HTMLElement,
  tries = 10,
): void {
  const element = marks.element(word);
  if (element) {
    element.tabIndex = -1;
    element.setAttribute('role', 'button');
    element.focus();
    return;
  }
  const block = document.blocks.findLastIndex(({ firstWord }) => firstWord <= word);
  region.querySelector(`[data-block="${block}"]`)?.scrollIntoView({ block: 'center' });
  if (tries > 0) requestAnimationFrame(() => focusWord(word, marks, document, region, tries - 1));
}
