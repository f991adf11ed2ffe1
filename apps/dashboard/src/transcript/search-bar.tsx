import type { RefObject } from 'react';
import { CrossIcon, DownIcon, SearchIcon, UpIcon } from '../ui/icons';
import type { TranscriptSearch } from './use-search';

interface SearchBarProps {
  search: TranscriptSearch;
  field: RefObject<HTMLInputElement | null>;
  /** Whether `/` leads here. */
  shortcut: boolean;
}

/** Finds words in the transcript. Enter goes on, Shift and Enter back, Escape ends it. */
export function SearchBar({ search: { query, setQuery, count, at, step }, field, shortcut }: SearchBarProps) {
  const searching = query.trim() !== '';
  const found = count === 0 ? 'Not found' : `${at + 1} of ${count}`;
  return (
    <div className="search-bar" role="search">
      <SearchIcon />
      <input
        ref={field}
        type="search"
        className="search-field"
        value={query}
        placeholder="Search in the text"
        aria-label="Search in the text"
        aria-keyshortcuts={shortcut ? '/' : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && count > 0) step(event.shiftKey ? -1 : 1);
          if (event.key !== 'Escape') return;
          event.preventDefault();
          setQuery('');
          event.currentTarget.blur();
        }}
      />
      <p className="search-count number" role="status">
        {searching && found}
      </p>
      <div className="search-steps" hidden={!searching}>
        <button
          type="button"
          className="icon-button"
          aria-label="Previous place"
          disabled={count === 0}
          onClick={() => step(-1)}
        >
          <UpIcon />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Next place"
          disabled={count === 0}
          onClick={() => step(1)}
        >
          <DownIcon />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="End the search"
          onClick={() => {
            setQuery('');
            field.current?.focus();
          }}
        >
          <CrossIcon />
        </button>
      </div>
    </div>
  );
}
