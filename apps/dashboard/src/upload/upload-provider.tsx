import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { installation } from '../api/installation';
import { useRefresh } from '../api/use-api';
import { announce } from '../ui/announcer';
import { ENDINGS, plainlyWrong } from './check-file';
import { DropVeil } from './drop-veil';
import { isUnfinished, type UploadQueue } from './queue';
import { sendFile } from './send-file';
import { UploadDialog } from './upload-dialog';
import { UploadDock } from './upload-dock';
import { createUploads, type Uploads } from './uploads';

const Context = createContext<{ choose: () => void } | null>(null);

/** Uploads go on while one moves between pages; files may be dropped on any of them. */
export function UploadProvider({ children }: { children: ReactNode }) {
  const refresh = useRefresh();
  const latestRefresh = useRef(refresh);
  useEffect(() => {
    latestRefresh.current = refresh;
  });
  const [uploads] = useState(() =>
    createUploads({
      send: sendFile,
      wrongWith: (file) => plainlyWrong(file, installation().maxFileBytes),
      onAccepted(file) {
        announce(`${file.name} is accepted.`);
        void latestRefresh.current('/jobs', '/credit');
      },
      onRefused: (file, detail) => announce(`${file.name}: ${detail}`),
    }),
  );
  const [chosen, setChosen] = useState<readonly File[] | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const queue = useQueue(uploads);
  useEffect(() => () => uploads.close(), [uploads]);
  useWarning(queue.uploads.some(isUnfinished));
  const value = useMemo(() => ({ choose: () => input.current?.click() }), []);
  return (
    <Context value={value}>
      {children}
      <UploadDock uploads={uploads} queue={queue} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ENDINGS.join(',')}
        aria-label="Recordings"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          // The same file may be chosen again.
          event.currentTarget.value = '';
          if (files.length > 0) setChosen(files);
        }}
      />
      <DropVeil onFiles={(files) => setChosen((before) => [...(before ?? []), ...files])} />
      <UploadDialog
        files={chosen}
        onClose={() => setChosen(null)}
        onSubmit={(files, options) => {
          setChosen(null);
          uploads.add(files, options);
        }}
      />
    </Context>
  );
}

/** Opens the browser's file chooser. */
export function useUpload(): { choose: () => void } {
  const value = useContext(Context);
  if (!value) throw new Error('useUpload is used outside of UploadProvider.');
  return value;
}

function useQueue(uploads: Uploads): UploadQueue {
  return useSyncExternalStore(uploads.subscribe, uploads.queue);
}

/** Closing the tab would end what is being sent. */
function useWarning(needed: boolean): void {
  useEffect(() => {
    if (!needed) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [needed]);
}
