import { useEffect, useRef, useState, type RefObject } from 'react';
import { Link, useLocation } from 'wouter';
import { fileSize } from '../format/size';
import { Button } from '../ui/button';
import { CrossIcon, DownIcon } from '../ui/icons';
import { isUnfinished, type Upload, type UploadQueue } from './queue';
import type { Uploads } from './uploads';
import './upload.css';

/** What is being sent, at the foot of every page; what failed stays until it is put away. */
export function UploadDock({ uploads, queue }: { uploads: Uploads; queue: UploadQueue }) {
  const [open, setOpen] = useState(true);
  const dock = useRef<HTMLElement>(null);
  const total = queue.uploads.length;
  usePublishedHeight(dock, total > 0);
  usePuttingAwayAccepted(uploads);
  const resting = useSecondsUntil(queue.restsUntilMs);
  if (total === 0) return null;
  const unfinished = queue.uploads.filter(isUnfinished).length;
  return (
    <section ref={dock} className="upload-dock" aria-label="Uploads">
      <header className="upload-dock-head">
        <button
          type="button"
          className="upload-dock-fold"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <DownIcon />
          {headline(queue)}
        </button>
        {unfinished < total && (
          <Button
            small
            kind="quiet"
            onClick={() => {
              uploads.clear();
              keepFocus();
            }}
          >
            {unfinished === 0 ? 'Close' : 'Clear finished'}
          </Button>
        )}
      </header>
      {open && (
        <ul className="upload-list" role="list">
          {queue.uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} uploads={uploads} resting={resting} />
          ))}
        </ul>
      )}
    </section>
  );
}

function UploadRow({ upload, uploads, resting }: { upload: Upload; uploads: Uploads; resting: number }) {
  const { id, file, state, problem } = upload;
  return (
    <li className={`upload upload-${state}`}>
      <div className="upload-name">{file.name}</div>
      <div className="upload-state">
        <UploadState upload={upload} resting={resting} />
      </div>
      <div className="upload-buttons">
        {/* What is wrong with the file itself would be wrong again. */}
        {state === 'refused' && problem?.status !== 400 && (
          <Button small onClick={() => uploads.tryAgain(id)}>
            Try again
          </Button>
        )}
        <button
          type="button"
          className="icon-button"
          aria-label={isUnfinished(upload) ? `Cancel ${file.name}` : `Remove ${file.name} from the list`}
          onClick={() => {
            uploads.putAway(id);
            keepFocus();
          }}
        >
          <CrossIcon />
        </button>
      </div>
      {state === 'sending' && (
        <progress
          className="upload-progress"
          max={file.size}
          value={upload.sentBytes}
          aria-label={`Sending ${file.name}`}
        />
      )}
    </li>
  );
}

function UploadState({ upload, resting }: { upload: Upload; resting: number }) {
  const { state, file, sentBytes, jobId, problem } = upload;
  switch (state) {
    case 'waiting':
      return resting > 0 ? (
        <>
          The rate limit is reached. Goes on in <span className="number">{resting} s</span>.
        </>
      ) : (
        <>Waiting, {fileSize(file.size)}</>
      );
    case 'sending':
      return sentBytes < file.size ? (
        <span className="number">
          {fileSize(sentBytes)} of {fileSize(file.size)}
        </span>
      ) : (
        <>Sent. Being checked …</>
      );
    case 'accepted':
      return <Link href={`/jobs/${jobId}`}>Accepted: see the job</Link>;
    case 'refused':
      return (
        <span className="upload-problem">
          {problem?.detail.replace(/^file: (.)/, (_, first: string) => first.toUpperCase())}
          {problem?.status === 402 && (
            <>
              {' '}
              <Link href="/billing">Top up</Link>
            </>
          )}
        </span>
      );
  }
}

/** The button that had it is gone: the focus stays among the uploads, or where the page begins. */
function keepFocus(): void {
  requestAnimationFrame(() => {
    const next = document.querySelector<HTMLElement>('.upload-dock-fold') ?? document.getElementById('main');
    next?.focus({ preventScroll: true });
  });
}

function headline({ uploads }: UploadQueue): string {
  const count = (state: Upload['state']) => uploads.filter((upload) => upload.state === state).length;
  const refused = count('refused');
  const accepted = `${count('accepted')} of ${uploads.length} accepted`;
  return refused === 0 ? accepted : `${accepted}, ${refused} refused`;
}

/** Counts down; 0 when the time has come. */
function useSecondsUntil(timeMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (timeMs <= Date.now()) return;
    setNow(Date.now());
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= timeMs) clearInterval(timer);
    }, 500);
    return () => clearInterval(timer);
  }, [timeMs]);
  return Math.max(0, Math.ceil((timeMs - now) / 1000));
}

/** Whoever goes on to another page has seen what was accepted. */
function usePuttingAwayAccepted(uploads: Uploads): void {
  const [path] = useLocation();
  useEffect(() => {
    for (const { id, state } of uploads.queue().uploads) if (state === 'accepted') uploads.putAway(id);
  }, [uploads, path]);
}

/** As `--dock-height`, for what else keeps to the foot of the page, and for what must not be hidden behind it. */
function usePublishedHeight(dock: RefObject<HTMLElement | null>, there: boolean): void {
  useEffect(() => {
    const { style } = document.documentElement;
    if (!there || !dock.current) return;
    const observer = new ResizeObserver(([entry]) =>
      style.setProperty('--dock-height', `${entry!.borderBoxSize[0]!.blockSize}px`),
    );
    observer.observe(dock.current);
    return () => {
      observer.disconnect();
      style.removeProperty('--dock-height');
    };
  }, [dock, there]);
}
