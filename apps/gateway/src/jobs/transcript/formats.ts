import type { SpeakerNames, TranscriptSegment } from '@currawong/contracts';
import { cuesOf, type Cue, type CuePart } from './cues';
import { turnsOf } from './turns';

/** A transcript as a file of text. Every line ends in a line feed; without speech there are no turns and no cues. */
export type TextFormat = (
  segments: readonly TranscriptSegment[],
  names: SpeakerNames,
  /** Whether subtitles say who speaks; they do unless set. */
  options?: { speakers: boolean },
) => string;

/** To be read: a turn to a paragraph. */
export const asPlainText: TextFormat = (segments, names) =>
  turnsOf(segments, names)
    .map(({ name, text }) => `${name}: ${oneLine(text)}\n`)
    .join('\n');

/**
 * SubRip. A new voice is named before its words. It knows no escapes: what would be taken for an arrow is made one that is
 * not.
 */
export const asSubRip: TextFormat = (segments, names, { speakers } = { speakers: true }) =>
  cuesOf(segments, names, { labels: speakers })
    .map((cue, index) => {
      const lines = cue.parts.flatMap((part) => part.lines.map(oneLine));
      return `${index + 1}\n${times(cue, ',')}\n${lines.join('\n').replaceAll('-->', '→')}\n`;
    })
    .join('\n');

/** WebVTT, with the speaker as the voice of a cue, or of each line where two share it. */
export const asWebVtt: TextFormat = (segments, names, { speakers } = { speakers: true }) =>
  [
    'WEBVTT\n',
    ...cuesOf(segments, names, { labels: false }).map(
      (cue) => `${times(cue, '.')}\n${cue.parts.map((part) => spoken(part, speakers)).join('\n')}\n`,
    ),
  ].join('\n');

function spoken({ name, lines }: CuePart, withVoice: boolean): string {
  const text = lines.map((line) => escaped(oneLine(line))).join('\n');
  return withVoice ? `<v ${escaped(oneLine(name))}>${text}` : text;
}

/** A blank line would end the cue. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A cue must end after it begins, be it by a millisecond. */
function times({ start, end }: Pick<Cue, 'start' | 'end'>, point: ',' | '.'): string {
  const startMs = Math.round(start * 1000);
  const endMs = Math.max(startMs + 1, Math.round(end * 1000));
  return `${clock(startMs, point)} --> ${clock(endMs, point)}`;
}

/** `01:02:03,004`; hours grow beyond two digits where they must. */
function clock(ms: number, point: ',' | '.'): string {
  const part = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0');
  return `${part(ms / 3_600_000, 2)}:${part((ms / 60_000) % 60, 2)}:${part((ms / 1000) % 60, 2)}${point}${part(ms % 1000, 3)}`;
}
