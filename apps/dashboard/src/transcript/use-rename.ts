import type { JobChange, JobDetail } from '@currawong/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { send, type Problem } from '../api/client';
import { useMode } from '../api/mode';
import { useRefresh } from '../api/use-api';
import { renamed } from './speakers';
import { jobPath } from './use-job';

/** Gives a speaker a name: at once on the page, and back again should the service refuse it. */
export function useRename(job: JobDetail): {
  rename: (speaker: string, name: string) => void;
  problem: Problem | null;
} {
  const client = useQueryClient();
  const refresh = useRefresh();
  const mode = useMode();
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef({ refresh, sending: Promise.resolve() });
  latest.current.refresh = refresh;

  const rename = useCallback(
    (speaker: string, name: string) => {
      const key = [mode, jobPath(job.id)];
      const show = (speaker_names: JobDetail['speaker_names']) =>
        client.setQueryData<JobDetail>(key, (shown) => shown && { ...shown, speaker_names });
      const before = client.getQueryData<JobDetail>(key)?.speaker_names ?? {};
      const body: JobChange = { speaker_names: renamed(before, speaker, name) };
      show(body.speaker_names);
      // One after the other, in the order in which they were typed: each carries all names.
      latest.current.sending = latest.current.sending.then(async () => {
        const answer = await send<JobDetail>('PATCH', `/jobs/${job.id}`, body);
        setProblem(answer.ok ? null : answer.problem);
        if (!answer.ok) {
          const shown = client.getQueryData<JobDetail>(key)?.speaker_names ?? {};
          show(renamed(shown, speaker, before[speaker] ?? ''));
        }
        await latest.current.refresh('/jobs?');
      });
    },
    [client, mode, job.id],
  );
  return { rename, problem };
}
