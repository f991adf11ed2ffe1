import type { SpeakerNames } from '@currawong/contracts';
import { useEffect, useRef, useState } from 'react';
import { announce } from '../ui/announcer';
import { nameOf } from './speakers';

const LONGEST = 80;

interface SpeakerNameProps {
  speaker: string;
  names: SpeakerNames;
  onRename: (speaker: string, name: string) => void;
  /** As a heading of a turn it is no stop for the Tab key: the list of speakers has the same. */
  as: 'h3' | 'span';
}

/** A speaker's name that becomes a field when it is pressed. Enter or leaving it keeps the new name, Escape the old. */
export function SpeakerName({ speaker, names, onRename, as: Element }: SpeakerNameProps) {
  const [editing, setEditing] = useState(false);
  const name = nameOf(speaker, names);
  const button = useRef<HTMLButtonElement>(null);
  const giveFocusBack = useRef(false);
  useEffect(() => {
    if (editing || !giveFocusBack.current) return;
    giveFocusBack.current = false;
    button.current?.focus();
  }, [editing]);
  const end = (kept: string | null, byKey: boolean) => {
    setEditing(false);
    giveFocusBack.current = byKey;
    if (kept === null || kept.trim() === name) return;
    onRename(speaker, kept);
    announce(kept.trim() === '' ? `${speaker} has no name now.` : `${speaker} is now ${kept.trim()}.`);
  };
  return (
    <Element className="speaker-name">
      {editing ? (
        <NameField name={name === speaker ? '' : name} speaker={speaker} onEnd={end} />
      ) : (
        <button
          ref={button}
          type="button"
          className="speaker-name-button"
          tabIndex={Element === 'h3' ? -1 : undefined}
          title="Rename"
          onClick={() => setEditing(true)}
        >
          {name}
          <span className="visually-hidden">, rename</span>
        </button>
      )}
    </Element>
  );
}

function NameField({
  name,
  speaker,
  onEnd,
}: {
  name: string;
  speaker: string;
  onEnd: (kept: string | null, byKey: boolean) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const ended = useRef(false);
  useEffect(() => field.current?.select(), []);
  const end = (kept: string | null, byKey: boolean) => {
    // Taking the field away takes its focus too, which would end it a second time.
    if (ended.current) return;
    ended.current = true;
    onEnd(kept, byKey);
  };
  return (
    <input
      ref={field}
      className="speaker-name-field"
      autoFocus
      defaultValue={name}
      placeholder={speaker}
      maxLength={LONGEST}
      aria-label={`Name of ${speaker}`}
      autoComplete="off"
      onBlur={(event) => end(event.target.value, false)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // The focus goes back to the name at once, and the same key would press it.
        event.preventDefault();
        end(event.key === 'Enter' ? event.currentTarget.value : null, true);
      }}
    />
  );
}
