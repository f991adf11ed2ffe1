import { useCallback, useEffect, useRef, useState } from 'react';
import { blockOfWord, wordAt, type ReaderDocument } from './document';
import type { PlaybackControls } from './playback';
import type { WordMarks } from './word-marks';

/** Where a word may stand without the page being moved, as shares of the height of the screen. */
const COMFORTABLE = { top: 0.12, bottom: 0.7 };
const PLACE = 0.3;

/**
 * Marks the word that is heard, and moves the page along with it until the reader scrolls away on their own.
 * `bringToScreen` moves the page to a word, also to one that is far away.
 */
export function useFollow(
  document: ReaderDocument,
  marks: WordMarks,
  playback: PlaybackControls,
  playing: boolean,
) {
  const [following, setFollowing] = useState(true);
  const followsNow = useRef(true);
  useEffect(() => {
    followsNow.current = following && playing;
  }, [following, playing]);

  useEffect(
    () =>
      playback.onTime((seconds) => {
        const word = wordAt(document.words, seconds);
        if (marks.setHeard(word) && word >= 0 && followsNow.current)
          bringToScreen(document, marks, word, 'if away');
      }),
    [playback, document, marks],
  );

  // Only what a reader does counts: the page moves by itself as well, and paragraphs change their height.
  useEffect(() => {
    if (!playing) return;
    const leave = () => setFollowing(false);
    const leaveByKey = ({ key, target }: KeyboardEvent) => {
      const typing = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
      if (!typing && ['PageUp', 'PageDown', 'Home', 'End', 'ArrowUp', 'ArrowDown'].includes(key)) leave();
    };
    const leaveByScrollBar = ({ target }: PointerEvent) => {
      if (target === globalThis.document.documentElement) leave();
    };
    window.addEventListener('wheel', leave, { passive: true });
    window.addEventListener('touchmove', leaveByTouch, { passive: true });
    window.addEventListener('keydown', leaveByKey);
    window.addEventListener('pointerdown', leaveByScrollBar);
    function leaveByTouch({ target }: TouchEvent) {
      // A finger on the slider moves the recording, not the page.
      if (!(target instanceof HTMLInputElement)) leave();
    }
    return () => {
      window.removeEventListener('wheel', leave);
      window.removeEventListener('touchmove', leaveByTouch);
      window.removeEventListener('keydown', leaveByKey);
      window.removeEventListener('pointerdown', leaveByScrollBar);
    };
  }, [playing]);

  const follow = useCallback(() => {
    setFollowing(true);
    const word = wordAt(document.words, playback.now(), Infinity);
    if (word >= 0) bringToScreen(document, marks, word, 'in any case');
  }, [document, marks, playback]);
  const bring = useCallback(
    (word: number) => bringToScreen(document, marks, word, 'if away'),
    [document, marks],
  );
  return { following, setFollowing, follow, bringToScreen: bring };
}

/**
 * Paragraphs that have never been on the screen have only an estimated height, so the first jump may miss; it is
 * looked at again in the following frames.
 */
function bringToScreen(
  transcript: ReaderDocument,
  marks: WordMarks,
  word: number,
  when: 'if away' | 'in any case',
  tries = 8,
): void {
  const block = blockOfWord(transcript.blocks, word);
  const element = marks.element(word) ?? document.querySelector(`[data-block="${block?.index}"]`);
  if (!element) return;
  const { top, bottom } = element.getBoundingClientRect();
  const height = window.innerHeight;
  const away = top < COMFORTABLE.top * height || bottom > COMFORTABLE.bottom * height;
  if (!away && when === 'if away') return;
  const distance = top - PLACE * height;
  const near = Math.abs(distance) < 1.2 * height;
  const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  window.scrollBy({ top: distance, behavior: near && !still ? 'smooth' : 'instant' });
  if (!near && tries > 0)
    requestAnimationFrame(() => bringToScreen(transcript, marks, word, 'if away', tries - 1));
}
