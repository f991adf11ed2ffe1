import { useEffect, useRef, useState } from 'react';
import { Mark } from '../ui/mark';
import './upload.css';

/** Files may be dropped anywhere: while they hover over the page, it says so. */
export function DropVeil({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [hovering, setHovering] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    // Entering a child fires before leaving its parent: only the count of both tells whether they are still over us.
    let depth = 0;
    const withFiles = (handle: (event: DragEvent) => void) => (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      handle(event);
    };
    const enter = withFiles(() => setHovering(++depth > 0));
    const leave = withFiles(() => setHovering(--depth > 0));
    const over = withFiles((event) => void (event.dataTransfer!.dropEffect = 'copy'));
    const drop = withFiles((event) => {
      depth = 0;
      setHovering(false);
      const files = [...event.dataTransfer!.files];
      if (files.length > 0) latest.current(files);
    });
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop } as const;
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name as 'drop', listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name as 'drop', listener);
    };
  }, []);
  if (!hovering) return null;
  return (
    <div className="drop-veil" aria-hidden="true">
      <Mark size={72} />
      <p>Drop the recordings</p>
    </div>
  );
}
