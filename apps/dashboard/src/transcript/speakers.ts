import type { SpeakerNames } from '@currawong/contracts';
import type { ReaderDocument, Turn } from './document';

/** How many colours the style sheet has for speakers. */
const COLOURS = 10;

/** The number of a speaker's colour, 1 to 10: by label, so that it is the same on every page and after a rename. */
export function colourOf(speaker: string): number {
  const number = Number(/\d+$/.exec(speaker)?.[0] ?? 1);
  return ((number - 1) % COLOURS) + 1;
}

/** What a speaker is called: the given name, else the label. */
export function nameOf(speaker: string, names: SpeakerNames): string {
  return names[speaker] ?? speaker;
}

/** `names` with another name for `speaker`; an empty one, or the label itself, takes the name away. */
export function renamed(names: SpeakerNames, speaker: string, name: string): SpeakerNames {
  const { [speaker]: _former, ...others } = names;
  const trimmed = name.trim();
  return trimmed === '' || trimmed === speaker ? others : { ...others, [speaker]: trimmed };
}

/** How long each speaker speaks, in seconds of words, and the share of all speech, 0 to 1. */
export function speakingTimes({
  turns,
  speakers,
}: ReaderDocument): { speaker: string; seconds: number; share: number }[] {
  const seconds = new Map(speakers.map((speaker) => [speaker, 0]));
  for (const turn of turns) {
    seconds.set(turn.speaker, seconds.get(turn.speaker)! + spokenSeconds(turn));
  }
  const total = [...seconds.values()].reduce((sum, each) => sum + each, 0);
  return [...seconds].map(([speaker, spoken]) => ({
    speaker,
    seconds: spoken,
    share: total === 0 ? 0 : spoken / total,
  }));
}

function spokenSeconds({ blocks }: Turn): number {
  let seconds = 0;
  for (const { words } of blocks) {
    for (const { start, end } of words) seconds += Math.max(0, end - start);
  }
  return seconds;
}

/** A stretch of the time line in one speaker's colour, as shares of the whole length. */
export interface StripPart {
  speaker: string;
  from: number;
  to: number;
}

/**
 * Who speaks when, drawn small: at most `parts` stretches, so that a day of speech costs no more to draw than a minute.
 * What is narrower than one part is drawn as one.
 */
export function speakerStrip(turns: Turn[], durationSeconds: number, parts = 400): StripPart[] {
  if (durationSeconds <= 0) return [];
  const slots: (string | undefined)[] = Array.from({ length: parts });
  for (const { speaker, start, end } of turns) {
    const first = Math.floor((start / durationSeconds) * parts);
    const last = Math.max(first + 1, Math.round((end / durationSeconds) * parts));
    for (let slot = first; slot < Math.min(last, parts); slot++) slots[slot] ??= speaker;
  }
  const strip: StripPart[] = [];
  slots.forEach((speaker, slot) => {
    if (speaker === undefined) return;
    const before = strip.at(-1);
    if (before?.speaker === speaker && before.to === slot / parts) before.to = (slot + 1) / parts;
    else strip.push({ speaker, from: slot / parts, to: (slot + 1) / parts });
  });
  return strip;
}
