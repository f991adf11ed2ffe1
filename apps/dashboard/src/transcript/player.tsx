import { memo, useEffect, useRef, useState } from 'react';
import { clock, inWords } from '../format/time';
import { PauseIcon, PlayIcon } from '../ui/icons';
import type { ReaderDocument } from './document';
import type { Playback } from './playback';
import { colourOf, speakerStrip } from './speakers';
import './player.css';

const RATES = [0.75, 1, 1.25, 1.5, 1.75, 2];
export const SKIP_SECONDS = 10;

interface PlayerProps {
  playback: Playback;
  src: string | undefined;
  document: ReaderDocument;
  durationSeconds: number;
  /** The page has been scrolled away from what is heard. */
  away: boolean;
  onFollow: () => void;
  onHelp: () => void;
}

/** Plays the recording; stays at the foot of the screen. The line shows who speaks when. */
export function Player({ playback, src, document, durationSeconds, away, onFollow, onHelp }: PlayerProps) {
  const { audio, playing, waiting, failed, rate, controls } = playback;
  return (
    <section className="player" aria-label="Player">
      {away && (
        <button type="button" className="player-follow" onClick={onFollow}>
          Follow the playback
        </button>
      )}
      <audio ref={audio} src={src} preload="metadata" />
      <div className="player-buttons">
        <button
          type="button"
          className="player-button"
          aria-label={`Back ${SKIP_SECONDS} seconds`}
          onClick={() => controls.skip(-SKIP_SECONDS)}
        >
          <SkipIcon back />
        </button>
        <button
          type="button"
          className="player-button player-play"
          aria-label={playing ? 'Pause' : 'Play'}
          aria-busy={waiting || undefined}
          onClick={() => controls.toggle()}
        >
          {playing ? <PauseIcon /> : <PlayIcon />}
        </button>
        <button
          type="button"
          className="player-button"
          aria-label={`On ${SKIP_SECONDS} seconds`}
          onClick={() => controls.skip(SKIP_SECONDS)}
        >
          <SkipIcon />
        </button>
      </div>
      {failed ? (
        <p className="player-failed" role="alert">
          The recording could not be played. Reload the page to try again.
        </p>
      ) : (
        <TimeLine {...{ playback, document, durationSeconds }} />
      )}
      <div className="player-end">
        <select
          className="player-rate number"
          aria-label="Speed"
          value={rate}
          onChange={(event) => controls.setRate(Number(event.target.value))}
        >
          {RATES.map((each) => (
            <option key={each} value={each}>
              {each} ×
            </option>
          ))}
        </select>
        <button
          type="button"
          className="player-button player-help"
          aria-label="Keyboard shortcuts"
          onClick={onHelp}
        >
          ?
        </button>
      </div>
    </section>
  );
}

function TimeLine({
  playback: { controls },
  document,
  durationSeconds,
}: Pick<PlayerProps, 'playback' | 'document' | 'durationSeconds'>) {
  const slider = useRef<HTMLInputElement>(null);
  const played = useRef<HTMLDivElement>(null);
  // The words change once a second; the slider itself moves with every frame and without React.
  const [second, setSecond] = useState(0);
  useEffect(
    () =>
      controls.onTime((seconds) => {
        if (slider.current) slider.current.value = String(seconds);
        if (played.current)
          played.current.style.transform = `scaleX(${seconds / Math.max(durationSeconds, 1)})`;
        setSecond(Math.floor(seconds));
      }),
    [controls, durationSeconds],
  );
  return (
    <div className="time-line">
      <span className="time-line-clock number">{clock(second)}</span>
      <div className="time-line-track">
        <Strip document={document} durationSeconds={durationSeconds} />
        <div ref={played} className="time-line-played" />
        <input
          ref={slider}
          type="range"
          className="time-line-slider"
          aria-label="Position in the recording"
          aria-valuetext={`${inWords(second)} of ${inWords(durationSeconds)}`}
          min={0}
          max={durationSeconds}
          step={0.1}
          defaultValue={0}
          onInput={(event) => controls.seek(Number(event.currentTarget.value))}
          onKeyDown={(event) => {
            const by = { ArrowLeft: -5, ArrowDown: -5, ArrowRight: 5, ArrowUp: 5, PageDown: -60, PageUp: 60 }[
              event.key
            ];
            if (by === undefined) return;
            event.preventDefault();
            controls.skip(by);
          }}
        />
      </div>
      <span className="time-line-clock number">{clock(durationSeconds)}</span>
    </div>
  );
}

/** Drawn once, not with every second that passes. */
const Strip = memo(function Strip({
  document,
  durationSeconds,
}: Pick<PlayerProps, 'document' | 'durationSeconds'>) {
  return (
    <svg className="time-line-strip" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      {speakerStrip(document.turns, durationSeconds).map(({ speaker, from, to }) => (
        <rect key={from} className={`speaker-${colourOf(speaker)}`} x={from} width={to - from} height="1" />
      ))}
    </svg>
  );
});

function SkipIcon({ back = false }: { back?: boolean }) {
  return (
    <svg
      width="28"
      height="28"
      viewBox="0 0 28 28"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      aria-hidden="true"
    >
      <path
        d={
          back
            ? 'M9 6.5A10 10 0 1 1 4.300 12M9.500 2.500V7H5'
            : 'M19 6.5A10 10 0 1 0 23.700 12M18.500 2.500V7H23'
        }
        strokeLinecap="square"
      />
      <text
        x="14"
        y="18.300"
        textAnchor="middle"
        fontSize="10"
        fontWeight="700"
        fill="currentColor"
        stroke="none"
      >
        {SKIP_SECONDS}
      </text>
    </svg>
  );
}
