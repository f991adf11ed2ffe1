import { Button } from '../ui/button';
import { TickIcon } from '../ui/icons';

/** The button of a form that keeps one setting, and the word that it was kept. */
export function SaveRow({ busy, saved, label = 'Save' }: { busy: boolean; saved: boolean; label?: string }) {
  return (
    <div className="save-row">
      <Button type="submit" busy={busy}>
        {label}
      </Button>
      {saved && (
        <span className="save-row-done">
          <TickIcon /> Saved
        </span>
      )}
    </div>
  );
}
