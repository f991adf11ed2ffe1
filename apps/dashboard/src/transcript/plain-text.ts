import type { SpeakerNames } from '@currawong/contracts';
import { joinedText } from '@currawong/contracts/spacing';
import type { Turn } from './document';
import { nameOf } from './speakers';

/** The transcript as text to paste elsewhere: a paragraph per turn, each with its speaker where that is wanted. */
export function plainText(turns: Turn[], names: SpeakerNames | null): string {
  return turns
    .map((turn) => {
      const text = joinedText(turn.blocks.flatMap(({ words }) => words.map((word) => word.text)));
      return names === null ? text : `${nameOf(turn.speaker, names)}: ${text}`;
    })
    .join('\n\n');
}
