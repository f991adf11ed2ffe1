import type { SpeakerNames } from '@currawong/contracts';
import { memo } from 'react';
import { inWords } from '../format/time';
import type { ReaderDocument } from './document';
import { SpeakerName } from './speaker-name';
import { colourOf, speakingTimes } from './speakers';

/** Who speaks and how much; here they get their names. */
export const SpeakerList = memo(function SpeakerList({
  document,
  names,
  onRename,
}: {
  document: ReaderDocument;
  names: SpeakerNames;
  onRename: (speaker: string, name: string) => void;
}) {
  return (
    <ul role="list" className="speaker-list">
      {speakingTimes(document).map(({ speaker, seconds, share }) => (
        <li key={speaker} className={`speaker-list-item speaker-${colourOf(speaker)}`}>
          <SpeakerName speaker={speaker} names={names} onRename={onRename} as="span" />
          <span className="speaker-list-share number">
            <span className="visually-hidden">speaks </span>
            {inWords(seconds)}
            <span className="soft"> · {Math.round(share * 100)} %</span>
          </span>
        </li>
      ))}
    </ul>
  );
});
