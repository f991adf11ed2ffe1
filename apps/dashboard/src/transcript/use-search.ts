import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ReaderDocument } from './document';
import { nearestMatch, search, searchIndex } from './search';
import type { WordMarks } from './word-marks';

export interface TranscriptSearch {
  query: string;
  setQuery: (query: string) => void;
  count: number;
  /** The match that the reader is at, from 0; -1 where there is none. */
  at: number;
  /** 1: the next, -1: the one before; goes round at the ends. */
  step: (by: 1 | -1) => void;
}

/** Looks for what is typed, marks it all, and brings one place at a time to the screen. */
export function useSearch(
  document: ReaderDocument,
  marks: WordMarks,
  bringToScreen: (word: number) => void,
): TranscriptSearch {
  const [{ query, at }, setState] = useState({ query: '', at: -1 });
  const index = useMemo(() => searchIndex(document), [document]);
  const matches = useMemo(() => search(index, query), [index, query]);

  const setQuery = useCallback(
    (typed: string) => setState({ query: typed, at: nearestMatch(search(index, typed), 0) }),
    [index],
  );
  const step = useCallback(
    (by: 1 | -1) =>
      setState((before) => ({
        ...before,
        at: (before.at + by + matches.length) % Math.max(matches.length, 1),
      })),
    [matches],
  );
  useEffect(() => {
    marks.setMatches(matches, at);
    const match = matches[at];
    if (match) bringToScreen(match.first);
  }, [marks, matches, at, bringToScreen]);
  return { query, setQuery, count: matches.length, at: matches.length === 0 ? -1 : at, step };
}
