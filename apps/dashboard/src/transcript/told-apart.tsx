import type { DiarizationRequest, JobDetail } from '@currawong/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { send, type Problem } from '../api/client';
import { useMode } from '../api/mode';
import { ProblemNotice } from '../ui/notice';
import { jobPath } from './use-job';

/** As how many speakers the voices are told apart, and another number to do it again with: free, and the words stay. */
export function ToldApart({ job, speakers }: { job: JobDetail; speakers: number }) {
  const client = useQueryClient();
  const mode = useMode();
  const id = useId();
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isPending = asking || job.diarization_pending;

  const askFor = async (count: string) => {
    setAsking(true);
    const body: DiarizationRequest = { num_speakers: count === '' ? null : Number(count) };
    const answer = await send<JobDetail>('POST', `/jobs/${job.id}/diarization`, body);
    setAsking(false);
    setProblem(answer.ok ? null : answer.problem);
    if (answer.ok)
      client.setQueryData<JobDetail>(
        [mode, jobPath(job.id)],
        (shown) => shown && { ...shown, diarization_pending: true, diarization_error: null },
      );
  };

  return (
    <div className="told-apart">
      <label htmlFor={id}>Speakers</label>
      {job.audio_available ? (
        <select
          id={id}
          className="control control-select"
          value={speakers}
          disabled={isPending}
          aria-describedby={`${id}-state`}
          onChange={(event) => void askFor(event.currentTarget.value)}
        >
          {Array.from({ length: 10 }, (_, index) => index + 1).map((count) => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
          <option value="">One or two, not sure</option>
        </select>
      ) : (
        <span id={id} className="number">
          {speakers}
        </span>
      )}
      <p id={`${id}-state`} className="soft small" role="status">
        {isPending
          ? 'They are being told apart again…'
          : job.audio_available
            ? 'Not right? Choose how many there are: it is free.'
            : ''}
      </p>
      {job.diarization_error !== null && <p className="field-error">{job.diarization_error}</p>}
      <ProblemNotice problem={problem} />
    </div>
  );
}
