import type { JobDetail, JobListItem } from '@currawong/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiUrl } from '../api/client';
import { useMode } from '../api/mode';
import { isUnfinished } from '../jobs/list';

/**
 * Has the service tell how an unfinished job gets on, as it does. Not in test mode, because what listens to events sends
 * no headers; and not in a hidden tab, because a browser has six connections to a server and this takes one.
 * @param path where the job is asked for
 * @param onHearing told whether the service can be heard: while it cannot, one has to ask
 */
export function useJobEvents(
  jobId: string,
  path: string,
  unfinished: boolean,
  onHearing: (hears: boolean) => void,
): void {
  const client = useQueryClient();
  const mode = useMode();
  const visible = useVisible();
  const wanted = unfinished && visible && mode === 'live';
  useEffect(() => {
    if (!wanted) return;
    const source = new EventSource(apiUrl(`/jobs/${jobId}/events`));
    const key = ['live', path];
    const askAgain = () => void client.invalidateQueries({ queryKey: key });
    const onStand = ({ data }: MessageEvent<string>) => {
      const item = JSON.parse(data) as JobListItem;
      // What was said does not come with the news that it is there.
      if (!isUnfinished(item)) return askAgain();
      client.setQueryData<JobDetail>(key, (shown) => shown && { ...shown, ...item });
    };
    source.onopen = () => onHearing(true);
    source.onerror = () => onHearing(false);
    source.addEventListener('status', onStand);
    source.addEventListener('progress', onStand);
    source.addEventListener('deleted', askAgain);
    return () => {
      source.close();
      onHearing(false);
    };
    // `onHearing` sets a state, and is always the same.
  }, [client, jobId, path, wanted]);
}

function useVisible(): boolean {
  const [visible, setVisible] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return visible;
}
