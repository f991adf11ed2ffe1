import type { SpeechSegment } from '../audio/pcm';

/** Longer silences are not heard: text that nobody said appears in them. */
const LONGEST_SILENCE_SECONDS = 2;

/**
 * Neighbouring segments put together with the short silence between them, as many as fit into one window: for engines
 * that take as long for a second as for a window (Whisper: 30 s).
 */
export function filled(segments: readonly SpeechSegment[], windowSeconds: number): SpeechSegment[] {
  const windows: { start: number; end: number }[] = [];
  for (const { start, end } of segments) {
    const last = windows.at(-1);
    const fits = last && start - last.end <= LONGEST_SILENCE_SECONDS && end - last.start <= windowSeconds;
    if (fits) last.end = end;
    else windows.push({ start, end });
  }
  return windows;
}
