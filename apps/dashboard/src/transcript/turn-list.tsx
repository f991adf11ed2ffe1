import type { SpeakerNames } from '@currawong/contracts';
import { gapBetween, joinedText } from '@currawong/contracts/spacing';
import { Fragment, memo, useEffect, useLayoutEffect, useRef, useState, type CSSProperties } from 'react';
import { clock } from '../format/time';
import { type Block, type ReaderDocument, type Turn, type Word } from './document';
import { SpeakerName } from './speaker-name';
import { colourOf } from './speakers';
import type { WordMarks } from './word-marks';

/** Below this the engine was guessing. */
const DOUBTFUL = 0.5;

interface TurnListProps {
  document: ReaderDocument;
  marks: WordMarks;
  names: SpeakerNames;
  /** Undefined where there is nothing to hear. */
  onPlayFrom: ((seconds: number) => void) | undefined;
  onRename: (speaker: string, name: string) => void;
}

/** Who says what, turn by turn. Drawn again only when a name changes. */
export const TurnList = memo(function TurnList({ document, ...rest }: TurnListProps) {
  return document.turns.map((turn) => <TurnView key={turn.blocks[0]!.index} turn={turn} {...rest} />);
});

type TurnProps = Omit<TurnListProps, 'document'> & { turn: Turn };

const TurnView = memo(function TurnView({ turn, marks, names, onPlayFrom, onRename }: TurnProps) {
  return (
    <section
      className={`turn speaker-${colourOf(turn.speaker)}`}
      style={{ '--turn-height': `${estimatedLines(turn) * 1.9 + 1.5}rem` } as CSSProperties}
    >
      <header className="turn-head">
        <SpeakerName speaker={turn.speaker} names={names} onRename={onRename} as="h3" />
        {/* Words are reached one by one with the arrow keys, so these need not be stops on the way through the page. */}
        {onPlayFrom ? (
          <button
            type="button"
            className="turn-time number"
            tabIndex={-1}
            aria-label={`Play from ${clock(turn.start)}`}
            onClick={() => onPlayFrom(turn.start)}
          >
            {clock(turn.start)}
          </button>
        ) : (
          <span className="turn-time number">{clock(turn.start)}</span>
        )}
      </header>
      <div className="turn-text">
        {turn.blocks.map((block) => (
          <Fragment key={block.index}>
            <Paragraph block={block} marks={marks} />
            {block.manner !== undefined && <p className="turn-manner small soft">{block.manner}</p>}
          </Fragment>
        ))}
      </div>
    </section>
  );
});

function estimatedLines({ blocks }: Turn): number {
  let lines = 0;
  for (const { words } of blocks) {
    let characters = 0;
    for (const word of words) characters += word.text.length + 1;
    lines += Math.max(1, Math.ceil(characters / 64));
  }
  return lines;
}

/** Far from the screen a paragraph is one piece of text; near it, every word is an element. Both look the same. */
const Paragraph = memo(function Paragraph({ block, marks }: { block: Block; marks: WordMarks }) {
  const paragraph = useRef<HTMLParagraphElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = paragraph.current!;
    return whenNear(element, (isNear) => setNear(isNear || element.contains(document.activeElement)));
  }, []);
  useLayoutEffect(() => {
    if (!near) return;
    marks.setParagraph(block.index, paragraph.current);
    return () => marks.setParagraph(block.index, null);
  }, [near, marks, block]);
  return (
    <p ref={paragraph} data-block={block.index}>
      {near ? block.words.map(wordElement) : joinedText(block.words.map((word) => word.text))}
    </p>
  );
});

function wordElement(word: Word, index: number, words: Word[]) {
  const doubtful = word.confidence !== null && word.confidence < DOUBTFUL;
  return [
    index > 0 && gapBetween(words[index - 1]!.text, word.text),
    <span key={index} className={doubtful ? 'word word-doubtful' : 'word'}>
      {word.text}
    </span>,
  ];
}

const watched = new WeakMap<Element, (near: boolean) => void>();
let observer: IntersectionObserver | undefined;

/** One observer for all paragraphs. Gives what ends the watching. */
function whenNear(element: Element, listener: (near: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) watched.get(target)?.(isIntersecting);
    },
    { rootMargin: '75% 0px' },
  );
  watched.set(element, listener);
  observer.observe(element);
  return () => {
    watched.delete(element);
    observer?.unobserve(element);
  };
}
