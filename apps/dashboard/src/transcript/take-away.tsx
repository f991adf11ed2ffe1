import type { SpeakerNames, TranscriptFormat } from '@currawong/contracts';
import { useMemo, useState } from 'react';
import { getBlob, type Problem } from '../api/client';
import { saveAs } from '../api/save-as';
import { announce } from '../ui/announcer';
import { Button } from '../ui/button';
import { CopyButton } from '../ui/copy';
import { Dialog } from '../ui/dialog';
import { DownloadIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import type { Turn } from './document';
import { plainText } from './plain-text';
import './take-away.css';

const FORMATS: [format: TranscriptFormat, name: string, use: string][] = [
  ['txt', 'Text', 'Speakers and words, to read or to edit'],
  ['srt', 'SubRip', 'Subtitles for players and video editors'],
  ['vtt', 'WebVTT', 'Subtitles for web pages'],
  ['json', 'JSON', 'Everything, with the time of every word'],
];

interface TakeAwayProps {
  open: boolean;
  onClose: () => void;
  jobId: string;
  filename: string;
  turns: Turn[];
  names: SpeakerNames;
}

/** The transcript for other programs: on the clipboard, or as a file. */
export function TakeAway({ open, onClose, ...rest }: TakeAwayProps) {
  return (
    <Dialog open={open} title="Copy or download" onClose={onClose}>
      {open && <Choices {...rest} />}
    </Dialog>
  );
}

function Choices({ jobId, filename, turns, names }: Omit<TakeAwayProps, 'open' | 'onClose'>) {
  const [withSpeakers, alone] = useMemo(
    () => [plainText(turns, names), plainText(turns, null)],
    [turns, names],
  );
  return (
    <ul role="list" className="take-away">
      <li>
        <span>
          <strong>With speakers</strong>
          <small className="soft">A paragraph for each turn, with the name in front</small>
        </span>
        <CopyButton text={withSpeakers} what="the text with speakers" />
      </li>
      <li>
        <span>
          <strong>Words alone</strong>
          <small className="soft">The same without names</small>
        </span>
        <CopyButton text={alone} what="the words alone" />
      </li>
      {FORMATS.map(([format, name, use]) => (
        <Download key={format} {...{ format, name, use, jobId, filename }} />
      ))}
    </ul>
  );
}

interface DownloadProps {
  format: TranscriptFormat;
  name: string;
  use: string;
  jobId: string;
  filename: string;
}

function Download({ format, name, use, jobId, filename }: DownloadProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const download = async () => {
    setBusy(true);
    const answer = await getBlob(`/jobs/${jobId}/transcript?format=${format}`);
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    saveAs(answer.value, `${filename.replace(/\.[^.]{1,5}$/, '')}.${format}`);
    announce('The file was downloaded.');
  };
  return (
    <li>
      <span>
        <strong>
          {name} <span className="soft">.{format}</span>
        </strong>
        <small className="soft">{use}</small>
      </span>
      <Button
        small
        kind="quiet"
        busy={busy}
        aria-label={`Download as ${name}`}
        onClick={() => void download()}
      >
        <DownloadIcon /> Download
      </Button>
      <ProblemNotice problem={problem} onRetry={() => void download()} />
    </li>
  );
}
