import { useEffect, useRef, useSyncExternalStore } from 'react';
import { remembered } from '../api/remembered';
import { Check } from '../ui/check';
import { Dialog } from '../ui/dialog';
import './shortcuts.css';

const choice = remembered('currawong.shortcuts', ['on', 'off'], 'on');

export interface ShortcutActions {
  toggle: (() => void) | undefined;
  skip: ((seconds: number) => void) | undefined;
  search: () => void;
  help: () => void;
}

/** Single keys get in the way of voice control and of unsteady hands, so they can be turned off. */
export function useShortcutsOn(): boolean {
  return useSyncExternalStore(choice.subscribe, choice.get) === 'on';
}

/** Keys that work wherever the focus is, unless what has it needs the key itself. */
export function useShortcuts(actions: ShortcutActions, seconds: number): void {
  const on = useShortcutsOn();
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    if (!on) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      const action = actionOf(event, latest.current, seconds);
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [on, seconds]);
}

function actionOf(
  { key, target }: KeyboardEvent,
  { toggle, skip, search, help }: ShortcutActions,
  seconds: number,
): (() => void) | undefined {
  const element = target instanceof Element ? target : document.body;
  if (element.matches('input, textarea, select, [contenteditable]')) return undefined;
  switch (key) {
    case ' ':
      // It presses what has the focus.
      return element.closest('button, a, summary, [role="button"]:not(.word)') ? undefined : toggle;
    case 'ArrowLeft':
      return skip && (() => skip(-seconds));
    case 'ArrowRight':
      return skip && (() => skip(seconds));
    case '/':
      return search;
    case '?':
      return help;
    default:
      return undefined;
  }
}

const KEYS: [keys: string[], what: string][] = [
  [['Space'], 'Play or pause'],
  [['←', '→'], '10 seconds back or on'],
  [['/'], 'Search in the text'],
  [['Enter', 'Shift + Enter'], 'In the search: next or previous place'],
  [['Esc'], 'End the search, or leave a name as it was'],
  [['Tab', '← ↑ ↓ →', 'Enter'], 'Go to the text, from word to word, and play from a word'],
  [['?'], 'This list'],
];

export function ShortcutsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const on = useShortcutsOn();
  return (
    <Dialog open={open} title="Keyboard shortcuts" onClose={onClose}>
      <dl className="shortcuts">
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Check checked={on} onChange={(event) => choice.set(event.target.checked ? 'on' : 'off')}>
        Use Space, ←, →, / and ? everywhere on this page
      </Check>
    </Dialog>
  );
}
