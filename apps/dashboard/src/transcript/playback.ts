import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';

export interface Playback {
  audio: RefObject<HTMLAudioElement | null>;
  playing: boolean;
  /** Waits for bytes. */
  waiting: boolean;
  /** The browser could not load or decode it. */
  failed: boolean;
  rate: number;
  controls: PlaybackControls;
}

/** Always the same object: what uses it need not be drawn again when playback changes. */
export interface PlaybackControls {
  toggle(): void;
  play(): void;
  /** @param seconds from the start; what lies outside of the recording is moved to its end or beginning */
  seek(seconds: number): void;
  skip(seconds: number): void;
  setRate(rate: number): void;
  /** Where it is now, in seconds. */
  now(): number;
  /** Calls with the position whenever it changes, while playing once per frame. Gives what ends it. */
  onTime(listener: (seconds: number) => void): () => void;
}

/**
 * Plays through the browser's own <audio>. The position is told to listeners and is no state: a page of a hundred
 * thousand words cannot be drawn anew sixty times a second.
 */
export function usePlayback(durationSeconds: number): Playback {
  const audio = useRef<HTMLAudioElement>(null);
  const listeners = useRef(new Set<(seconds: number) => void>());
  const [state, setState] = useState({ playing: false, waiting: false, failed: false, rate: 1 });

  const controls = useMemo<PlaybackControls>(
    () => ({
      toggle: () => (audio.current?.paused === false ? audio.current.pause() : play(audio.current)),
      play: () => play(audio.current),
      seek(seconds) {
        if (!audio.current) return;
        const last = Number.isFinite(audio.current.duration) ? audio.current.duration : durationSeconds;
        audio.current.currentTime = Math.min(Math.max(0, seconds), last);
        for (const listener of listeners.current) listener(audio.current.currentTime);
      },
      skip: (seconds) => controls.seek((audio.current?.currentTime ?? 0) + seconds),
      setRate(rate) {
        if (audio.current) audio.current.playbackRate = rate;
        setState((before) => ({ ...before, rate }));
      },
      now: () => audio.current?.currentTime ?? 0,
      onTime(listener) {
        listeners.current.add(listener);
        return () => void listeners.current.delete(listener);
      },
    }),
    [durationSeconds],
  );

  useEffect(() => {
    const element = audio.current;
    if (!element) return;
    let frame = 0;
    const tell = () => {
      for (const listener of listeners.current) listener(element.currentTime);
    };
    const tellPerFrame = () => {
      tell();
      frame = requestAnimationFrame(tellPerFrame);
    };
    const look = () => {
      const playing = !element.paused && !element.ended;
      const waiting = playing && element.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
      setState((before) => ({ ...before, playing, waiting, failed: element.error !== null }));
      cancelAnimationFrame(frame);
      if (playing) frame = requestAnimationFrame(tellPerFrame);
      tell();
    };
    const events = [
      'play',
      'playing',
      'pause',
      'ended',
      'waiting',
      'canplay',
      'error',
      'emptied',
      'loadedmetadata',
    ];
    for (const event of events) element.addEventListener(event, look);
    element.addEventListener('seeked', tell);
    return () => {
      cancelAnimationFrame(frame);
      for (const event of events) element.removeEventListener(event, look);
      element.removeEventListener('seeked', tell);
    };
  }, []);

  return { audio, ...state, controls };
}

function play(audio: HTMLAudioElement | null): void {
  // A refusal to play is told by the element's own error event; an interruption by a pause needs no telling.
  audio?.play().catch(() => undefined);
}
