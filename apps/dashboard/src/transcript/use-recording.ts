import { useEffect, useState } from 'react';
import { apiUrl, getBlob, type Problem } from '../api/client';
import { useMode } from '../api/mode';

/**
 * Where the recording of a job can be played from. Live: streamed, so that it begins at once wherever one jumps to. A
 * media element cannot say that it means a test job, so those are fetched whole.
 */
export function useRecording(
  jobId: string,
  available: boolean,
): { src: string | undefined; problem: Problem | null } {
  const mode = useMode();
  const path = `/jobs/${jobId}/audio`;
  const [fetched, setFetched] = useState<{ src?: string; problem: Problem | null }>({ problem: null });
  useEffect(() => {
    if (!available || mode !== 'test') return;
    const abort = new AbortController();
    let src: string | undefined;
    getBlob(path, abort.signal).then(
      (answer) => {
        if (abort.signal.aborted) return;
        if (answer.ok) src = URL.createObjectURL(answer.value);
        setFetched(answer.ok ? { src: src!, problem: null } : { problem: answer.problem });
      },
      () => undefined,
    );
    return () => {
      abort.abort();
      if (src !== undefined) URL.revokeObjectURL(src);
      setFetched({ problem: null });
    };
  }, [path, available, mode]);
  if (!available) return { src: undefined, problem: null };
  return mode === 'test'
    ? { src: fetched.src, problem: fetched.problem }
    : { src: apiUrl(path), problem: null };
}
