import type { SpeakerNames, TranscriptSegment } from '@currawong/contracts';

/** A piece of what was said by one speaker, under the name that the customer gave to the voice. Seconds. */
export interface Spoken {
  start: number;
  end: number;
  name: string;
  text: string;
}

/** Two lines of a subtitle. */
const CUE_CHARACTERS = 84;

export function nameOf(speaker: string, names: SpeakerNames): string {
  return names[speaker] ?? speaker;
}

/** What a speaker says until another one speaks. Voices with the same name are one speaker. */
export function turnsOf(segments: readonly TranscriptSegment[], names: SpeakerNames): Spoken[] {
  const turns: Spoken[] = [];
  for (const { start, end, speaker, text } of segments) {
    const name = nameOf(speaker, names);
    const last = turns.at(-1);
    if (last?.name === name) {
      last.end = Math.max(last.end, end);
      last.text += ` ${text}`;
    } else {
      turns.push({ start, end, name, text });
    }
  }
  return turns;
}

/** Segments cut between words where they are longer than two lines of a subtitle. */
export function cuesOf(segments: readonly TranscriptSegment[], names: SpeakerNames): Spoken[] {
  return segments.flatMap((segment) => {
    const { start, end, speaker, text, words } = segment;
    const name = nameOf(speaker, names);
    if (text.length <= CUE_CHARACTERS || words.length < 2) return [{ start, end, name, text }];
    const cues: Spoken[] = [];
    for (const word of words) {
      const last = cues.at(-1);
      if (last && last.text.length + 1 + word.text.length <= CUE_CHARACTERS) {
        last.end = Math.max(last.end, word.end);
        last.text += ` ${word.text}`;
      } else {
        cues.push({ start: word.start, end: word.end, name, text: word.text });
      }
    }
    return cues;
  });
}
