import type { SpeakerNames, SpeakerSummary } from '@currawong/contracts';
import { memo } from 'react';
import { inWords } from '../format/time';
import type { ReaderDocument } from './document';
import { SpeakerName } from './speaker-name';
import { colourOf, speakingTimes } from './speakers';

/** Who speaks and how much; here they get their names. */
export const SpeakerList = memo(function SpeakerList({
  document,
  names,
  summaries,
  onRename,
}: {
  document: ReaderDocument;
  names: SpeakerNames;
  /** Null without an analysis. */
  summaries: readonly SpeakerSummary[] | null;
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
          <Manner summary={summaries?.find((summary) => summary.speaker === speaker)} />
        </li>
      ))}
    </ul>
  );
});

/** In a word or two; what the words tell, and how it was said. */
function Manner({ summary }: { summary: SpeakerSummary | undefined }) {
  const manner = [summary?.sentiment?.label, summary?.tone?.label].filter(Boolean);
  if (!summary || manner.length === 0) return null;
  return (
    <span className="speaker-list-share soft">
      {manner.join(', ')} · {Math.round(summary.words_per_minute)} words a minute
    </span>
  );
}
