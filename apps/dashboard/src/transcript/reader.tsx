import type { JobDetail } from '@currawong/contracts';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useAccount } from '../session/session';
import { Button } from '../ui/button';
import { Check } from '../ui/check';
import { Notice, ProblemNotice } from '../ui/notice';
import { readerDocument } from './document';
import { usePlayback } from './playback';
import { Player, SKIP_SECONDS } from './player';
import { SearchBar } from './search-bar';
import { ShortcutsDialog, useShortcuts, useShortcutsOn } from './shortcuts';
import { SpeakerList } from './speaker-list';
import { TakeAway } from './take-away';
import { ToldApart } from './told-apart';
import { TranscriptText } from './transcript-text';
import { useFollow } from './use-follow';
import { useRecording } from './use-recording';
import { useRename } from './use-rename';
import { useSearch } from './use-search';
import { WordMarks } from './word-marks';
import './reader.css';

/** A finished transcript with its recording: to listen to, to search, to put names to, to take away. */
export function Reader({ job }: { job: JobDetail }) {
  const document = useMemo(() => readerDocument(job.segments ?? []), [job.segments]);
  const marks = useMemo(() => new WordMarks(document), [document]);
  const durationSeconds = Math.max(job.audio_duration_seconds ?? 0, document.words.at(-1)?.end ?? 0);
  const recording = useRecording(job.id, job.audio_available);
  const playback = usePlayback(durationSeconds);
  const { following, setFollowing, follow, bringToScreen } = useFollow(
    document,
    marks,
    playback.controls,
    playback.playing,
  );
  const showPlace = useCallback(
    (word: number) => {
      setFollowing(false);
      bringToScreen(word);
    },
    [setFollowing, bringToScreen],
  );
  const search = useSearch(document, marks, showPlace);
  const { rename, problem } = useRename(job);
  const searchField = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<'take away' | 'shortcuts' | null>(null);
  const [showDoubtful, setShowDoubtful] = useState(false);
  const hasConfidence = useMemo(() => document.words.some((word) => word.confidence !== null), [document]);
  const onJump = useCallback(() => setFollowing(true), [setFollowing]);

  const audible = job.audio_available;
  useShortcuts(
    {
      toggle: audible ? playback.controls.toggle : undefined,
      skip: audible ? playback.controls.skip : undefined,
      search: () => searchField.current?.select(),
      help: () => setDialog('shortcuts'),
    },
    SKIP_SECONDS,
  );
  const shortcutsOn = useShortcutsOn();
  return (
    <div className="reader">
      <aside className="reader-aside" aria-label="About this transcript">
        <h2 className="reader-aside-title visually-hidden">Speakers</h2>
        <ToldApart job={job} speakers={document.speakers.length} />
        <SpeakerList
          document={document}
          names={job.speaker_names}
          summaries={job.speakers_summary}
          onRename={rename}
        />
        <p className="reader-aside-hint small soft">Press a name to change it.</p>
        <ProblemNotice problem={problem} />
        {hasConfidence && (
          <Check checked={showDoubtful} onChange={(event) => setShowDoubtful(event.target.checked)}>
            Mark words that the engine was unsure of
          </Check>
        )}
        <Button onClick={() => setDialog('take away')}>Copy or download</Button>
      </aside>
      <div className="reader-main">
        <SearchBar search={search} field={searchField} shortcut={shortcutsOn} />
        {job.warnings.map((warning) => (
          <Notice key={warning}>
            <p>{warning}</p>
          </Notice>
        ))}
        {!audible && <Erased />}
        <ProblemNotice problem={recording.problem} />
        <TranscriptText
          {...{ document, marks, showDoubtful, onJump }}
          names={job.speaker_names}
          playback={audible ? playback.controls : undefined}
          onRename={rename}
        />
      </div>
      {audible && (
        <Player
          {...{ playback, document, durationSeconds }}
          src={recording.src}
          away={playback.playing && !following}
          onFollow={follow}
          onHelp={() => setDialog('shortcuts')}
        />
      )}
      <TakeAway
        open={dialog === 'take away'}
        onClose={() => setDialog(null)}
        jobId={job.id}
        filename={job.original_filename}
        turns={document.turns}
        names={job.speaker_names}
      />
      <ShortcutsDialog open={dialog === 'shortcuts'} onClose={() => setDialog(null)} />
    </div>
  );
}

function Erased() {
  const { audio_retention_days: days } = useAccount();
  return (
    <Notice>
      <p>
        The recording was erased: recordings are kept for {days === 1 ? 'one day' : `${days} days`} after
        their job ended. The text stays.
      </p>
    </Notice>
  );
}
