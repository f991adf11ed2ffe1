import type { Duty } from './duties';

/** Work of a duty that was released: in the stream, or with a worker. */
export interface Released {
  /** Pieces, those that nobody has claimed yet included. */
  items: number;
  unclaimed: number;
  /** length of the audio that the unclaimed ones are about */
  unclaimedSeconds: number;
}

export interface Window {
  /** Pieces that the workers which are up do at a time; 0 where that is not known. */
  capacity: number;
  /** So many may be unclaimed however long they are: whoever claims one makes room for the next. */
  unclaimed: number;
  /** Audio that may lie unclaimed beyond the capacity, so that short pieces follow one another without a gap. */
  unclaimedSeconds: number;
}

/** While no worker is known there may be some that have not said so yet. */
const UNCLAIMED_WITHOUT_WORKERS = 4;
/** Cutting goes through hours of audio in moments, and its workers do not say how many they are. */
const UNCLAIMED_AUDIO_DUTY = 2;
const UNCLAIMED_SECONDS_AUDIO_DUTY = 600;

/** @param slots pieces of audio that the workers which are up recognize at a time, 0 where none is known of */
export function windowOf(duty: Duty, slots: number, aheadSeconds: number): Window {
  if (duty === 'audio')
    return {
      capacity: 0,
      unclaimed: UNCLAIMED_AUDIO_DUTY,
      unclaimedSeconds: UNCLAIMED_SECONDS_AUDIO_DUTY,
    };
  return {
    capacity: slots,
    unclaimed: slots === 0 ? UNCLAIMED_WITHOUT_WORKERS : 0,
    unclaimedSeconds: aheadSeconds * Math.max(slots, 1),
  };
}

/** Whether a piece of so many seconds may be released as well. */
export function hasRoom(window: Window, released: Released, seconds: number): boolean {
  return (
    released.items < window.capacity ||
    released.unclaimed < window.unclaimed ||
    released.unclaimedSeconds + seconds <= window.unclaimedSeconds
  );
}

/** What is released once a piece of so many seconds is released as well. */
export function withOneMore(released: Released, seconds: number): Released {
  return {
    items: released.items + 1,
    unclaimed: released.unclaimed + 1,
    unclaimedSeconds: released.unclaimedSeconds + seconds,
  };
}
