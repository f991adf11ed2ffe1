/** A turn of the conversation as the API's `diarization` field gives it. */
export interface SpokenTurn {
  readonly speaker: string;
  readonly text: string;
}

/** Reads lines of the form `[Speaker 1]: text`; a line without a speaker continues the turn before it. */
export function parseTurns(diarization: string): SpokenTurn[] {
  const turns: SpokenTurn[] = [];
  for (const line of diarization.split('\n').filter((text) => text.trim() !== '')) {
    const [, speaker, text] = /^\[(.+?)\]:\s*(.*)$/.exec(line) ?? [];
    const last = turns.at(-1);
    if (speaker !== undefined && text !== undefined) turns.push({ speaker, text });
    else if (last) turns[turns.length - 1] = { ...last, text: `${last.text} ${line.trim()}` };
    else turns.push({ speaker: '', text: line.trim() });
  }
  return turns;
}

/** One paragraph a turn: the speaker's name, then what was said, wrapped and indented to stand clear of it. */
export function formatTurns(turns: readonly SpokenTurn[], width: number): string {
  const indent = Math.max(...turns.map((turn) => turn.speaker.length), 0) + 4;
  return turns
    .map(({ speaker, text }) => {
      const lines = wrap(text, Math.max(width - indent, 20));
      return lines
        .map((line, index) => (index === 0 ? `  ${speaker}`.padEnd(indent) : ' '.repeat(indent)) + line)
        .join('\n');
    })
    .join('\n');
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return line || lines.length === 0 ? [...lines, line] : lines;
}
