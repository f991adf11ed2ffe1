import {
  gapBetween,
  joinedText,
  type SpeakerNames,
  type TranscriptSegment,
  type TranscriptWord,
} from '@currawong/contracts';
import { breakCost, endsSentence, type Spoken } from './break-points';
import { nameOf } from './turns';

/**
 * Subtitles as broadcasters ask for them. 42 characters and two lines, 5/6 to 7 seconds, two frames between cues, 17 to 20
 * characters a second: Netflix, Timed Text Style Guide (general requirements; English). Breaks at clauses, never across a
 * long silence, and no word left out: BBC Subtitle Guidelines. Teletext has 37 characters to a line (EBU Tech 3264).
 */
export const LINE_CHARACTERS = 42;
export const SHORTEST_SECONDS = 5 / 6;
export const LONGEST_SECONDS = 7;
/** Of 25 a second. */
export const GAP_SECONDS = 2 / 25;
/** Read with ease; a cue stays on for as long as that takes where nothing else comes. */
export const EASY_CHARACTERS_PER_SECOND = 17;
/** Read at all: cues are cut so that there is time for it, if the speaker leaves any. */
export const MOST_CHARACTERS_PER_SECOND = 20;
/** A silence like this ends a cue. */
export const LONG_PAUSE_SECONDS = 1;
/** Two that begin at once are shown one after the other, each for this long at least. */
const SHOWN_SECONDS = 0.2;
/** A name longer than this is cut in a label: the words need the room. */
const LABEL_CHARACTERS = 24;

/** What one voice says in a cue. */
export interface CuePart {
  name: string;
  /** Whether the voice is another one than before: then the reader is told. */
  isNewVoice: boolean;
  /** One or two; a word longer than a line is a line. */
  lines: string[];
}

/** Seconds. Cues follow each other and do not overlap. */
export interface Cue {
  start: number;
  end: number;
  /** Two where a short answer would flash by: each has a line then. */
  parts: CuePart[];
}

export interface CueOptions {
  lineCharacters?: number;
  /** Whether a new voice is named in the text, as `Katie: `, and takes room there. */
  labels: boolean;
}

export function cuesOf(
  segments: readonly TranscriptSegment[],
  names: SpeakerNames,
  options: CueOptions,
): Cue[] {
  const limits = { lineCharacters: LINE_CHARACTERS, ...options };
  const drafts: Draft[] = [];
  let voice: string | undefined;
  for (const run of runsOf(segments, names)) {
    const isNewVoice = run.name !== voice;
    voice = run.name;
    const label = isNewVoice && limits.labels ? labelOf(run.name) : '';
    cutIntoCues(run.words, label.length, limits.lineCharacters).forEach((words, index) =>
      drafts.push({ parts: [{ name: run.name, isNewVoice: isNewVoice && index === 0, words }] }),
    );
  }
  return timed(withShortOnesJoined(drafts, limits), limits);
}

/** As it stands before the words of a new voice. */
export function labelOf(name: string): string {
  return `${name.length > LABEL_CHARACTERS ? `${[...name].slice(0, LABEL_CHARACTERS - 1).join('')}…` : name}: `;
}

interface Draft {
  parts: { name: string; isNewVoice: boolean; words: Spoken[] }[];
}

/** Words of one voice without a long pause between them. */
function runsOf(
  segments: readonly TranscriptSegment[],
  names: SpeakerNames,
): { name: string; words: Spoken[] }[] {
  const runs: { name: string; words: Spoken[] }[] = [];
  for (const segment of segments) {
    const name = nameOf(segment.speaker, names);
    for (const word of spokenWords(segment)) {
      const run = runs.at(-1);
      const last = run?.words.at(-1);
      if (run?.name === name && last && word.start - last.end < LONG_PAUSE_SECONDS) run.words.push(word);
      else runs.push({ name, words: [word] });
    }
  }
  return runs;
}

/** Without spaces in them. Where the engine gave no words their times are taken from where they stand in the text. */
function spokenWords({ start, end, text, words }: TranscriptSegment): Spoken[] {
  const given: Pick<TranscriptWord, 'text' | 'start' | 'end'>[] =
    words.length > 0 ? words : [{ start, end, text }];
  return given.flatMap((word) => {
    const texts = word.text.split(/\s+/).filter((one) => one !== '');
    const characters = texts.reduce((sum, one) => sum + one.length, 0);
    let before = 0;
    return texts.map((one) => {
      const from = word.start + ((word.end - word.start) * before) / characters;
      before += one.length;
      return { text: one, start: from, end: word.start + ((word.end - word.start) * before) / characters };
    });
  });
}

/** Every cue costs something, so that there are no more than it takes; a bad place to break costs more. */
const CUE_COST = 4;
/** The end of a sentence together with the beginning of another. */
const MIXED_COST = 5;

/** The cheapest way to cut a run of words: each piece fits two lines and is not longer than a cue may be. */
function cutIntoCues(words: readonly Spoken[], labelCharacters: number, lineCharacters: number): Spoken[][] {
  const best = [{ cost: 0, from: 0 }];
  const gaps = gapsBefore(words);
  for (let to = 1; to <= words.length; to++) {
    let cheapest = { cost: Infinity, from: to - 1 };
    let characters = 0;
    let hasSentenceEnd = false;
    const next = words[to];
    const last = words[to - 1]!;
    const breaking = next ? breakCost(last, next) : 0;
    const beginsAnother = !endsSentence(last.text);
    for (let from = to - 1; from >= 0; from--) {
      const label = from === 0 ? labelCharacters : 0;
      const isAlone = from === to - 1;
      characters += words[from]!.text.length + (isAlone ? 0 : gaps[from + 1]!);
      const seconds = last.end - words[from]!.start;
      if (!isAlone && !hasSentenceEnd) hasSentenceEnd = endsSentence(words[from]!.text);
      if (!isAlone && (characters + label > 2 * lineCharacters + 1 || seconds > LONGEST_SECONDS)) break;
      if (!isAlone && !fitsTwoLines(words, gaps, from, to, label, lineCharacters)) continue;
      const mixed = hasSentenceEnd && beginsAnother ? MIXED_COST : 0;
      const hurry = hurryCost(words[from]!, last, next, characters + label);
      const cost = best[from]!.cost + CUE_COST + breaking + mixed + hurry;
      if (cost < cheapest.cost) cheapest = { cost, from };
    }
    best.push(cheapest);
  }
  const cues: Spoken[][] = [];
  for (let to = words.length; to > 0; to = best[to]!.from) cues.push(words.slice(best[to]!.from, to));
  return cues.reverse();
}

/** The spaces before each word, where it does not begin a line: one, or none inside a script without spaces. */
function gapsBefore(words: readonly Spoken[]): number[] {
  return words.map(({ text }, index) => (index === 0 ? 0 : gapBetween(words[index - 1]!.text, text).length));
}

/** What there is too little time for: to read it with ease, or to notice it at all. */
function hurryCost(first: Spoken, last: Spoken, next: Spoken | undefined, characters: number): number {
  // What comes after the run is a pause or another voice: there is time, or nothing to be done.
  const until = next ? next.start - GAP_SECONDS : last.end + LONG_PAUSE_SECONDS;
  const seconds = Math.max(0.05, until - first.start);
  const tooFast = Math.max(0, characters / seconds - EASY_CHARACTERS_PER_SECOND);
  const tooShort = Math.max(0, SHORTEST_SECONDS - seconds);
  return tooFast * 0.5 + tooShort * 20;
}

function fitsTwoLines(
  words: readonly Spoken[],
  gaps: readonly number[],
  from: number,
  to: number,
  label: number,
  lineCharacters: number,
): boolean {
  let line = label;
  let lines = 1;
  for (let index = from; index < to; index++) {
    const { length } = words[index]!.text;
    const gap = index === from ? 0 : gaps[index]!;
    if (line + gap + length <= lineCharacters) line += gap + length;
    else {
      if (length > lineCharacters || ++lines > 2) return false;
      line = length;
    }
  }
  return true;
}

/** The words in one line, or in two of which neither is too long: even ones, broken where a clause ends. */
function linesOf(words: readonly Spoken[], label: string, lineCharacters: number): string[] {
  const texts = words.map(({ text }) => text);
  const whole = label + joinedText(texts);
  if (whole.length <= lineCharacters || words.length === 1) return [whole];
  let best: { cost: number; lines: string[] } | undefined;
  for (let at = 1; at < words.length; at++) {
    const lines = [label + joinedText(texts.slice(0, at)), joinedText(texts.slice(at))];
    const [first, second] = lines.map(({ length }) => length) as [number, number];
    const over = Math.max(0, first - lineCharacters) + Math.max(0, second - lineCharacters);
    const cost = over * 1_000 + Math.abs(first - second) * 0.15 + breakCost(words[at - 1]!, words[at]!);
    if (!best || cost < best.cost) best = { cost, lines };
  }
  return best!.lines;
}

/** A cue that would be gone too soon shares the next one's time, a line for each voice, where both are short. */
function withShortOnesJoined(drafts: Draft[], { lineCharacters, labels }: Required<CueOptions>): Draft[] {
  const joined: Draft[] = [];
  for (const draft of drafts) {
    const before = joined.at(-1);
    if (before && sharesTime(before, draft, lineCharacters, labels))
      joined[joined.length - 1] = { parts: [...before.parts, ...draft.parts] };
    else joined.push(draft);
  }
  return joined;
}

function sharesTime(one: Draft, other: Draft, lineCharacters: number, labels: boolean): boolean {
  if (one.parts.length > 1 || one.parts[0]!.name === other.parts[0]!.name) return false;
  const [start, end] = [startOf(one), endOf(other)];
  const isHasty =
    startOf(other) - GAP_SECONDS - start < SHORTEST_SECONDS || end - startOf(other) < SHORTEST_SECONDS / 2;
  const isClose = startOf(other) - endOf(one) < LONG_PAUSE_SECONDS && end - start <= LONGEST_SECONDS;
  const isShort = [one, other].every(({ parts: [part] }) => {
    const label = labels && part!.isNewVoice ? labelOf(part!.name) : '';
    return (label + joinedText(part!.words.map(({ text }) => text))).length <= lineCharacters;
  });
  return isHasty && isClose && isShort;
}

function timed(drafts: readonly Draft[], { lineCharacters, labels }: Required<CueOptions>): Cue[] {
  let freeFrom = 0;
  return drafts.map((draft, index) => {
    const parts = draft.parts.map(({ name, isNewVoice, words }) => ({
      ...{ name, isNewVoice },
      lines: linesOf(words, isNewVoice && labels ? labelOf(name) : '', lineCharacters),
    }));
    const characters = joinedText(parts.flatMap(({ lines }) => lines)).length;
    const start = Math.max(startOf(draft), freeFrom);
    const wanted = Math.max(
      ...[endOf(draft), start + SHORTEST_SECONDS, start + characters / EASY_CHARACTERS_PER_SECOND],
    );
    const next = drafts[index + 1];
    const latest = Math.min(start + LONGEST_SECONDS, next ? startOf(next) - GAP_SECONDS : Infinity);
    const end = Math.max(start + SHOWN_SECONDS, Math.min(wanted, latest));
    freeFrom = end + GAP_SECONDS;
    return { start, end, parts };
  });
}

const startOf = ({ parts }: Draft) => parts[0]!.words[0]!.start;
const endOf = ({ parts }: Draft) => Math.max(...parts.map(({ words }) => words.at(-1)!.end));
