import { gapBetween, type SpeakerNames, type TranscriptSegment } from '@currawong/contracts';

/** What one speaker says until another one does, under the name that the customer gave to the voice. Seconds. */
export interface Turn {
  start: number;
  end: number;
  name: string;
  text: string;
}

export function nameOf(speaker: string, names: SpeakerNames): string {
  return names[speaker] ?? speaker;
}

/** What a speaker says until another one speaks. Voices with the same name are one speaker. */
export function turnsOf(segments: readonly TranscriptSegment[], names: SpeakerNames): Turn[] {
  const turns: Turn[] = [];
  for (const { start, end, speaker, text } of segments) {
    const name = nameOf(speaker, names);
    const last = turns.at(-1);
    if (last?.name === name) {
      last.end = Math.max(last.end, end);
      last.text += gapBetween(last.text, text) + text;
    } else {
      turns.push({ start, end, name, text });
    }
  }
  return turns;
}
