import { useEffect, useId, useRef, type ReactNode } from 'react';
import { CrossIcon } from './icons';
import './dialog.css';

interface DialogProps {
  open: boolean;
  title: ReactNode;
  /** Escape, the cross and a click beside it ask for this. */
  onClose: () => void;
  /** The buttons; the main one last. */
  footer?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

/** The browser's own modal dialog: it keeps the focus in, and gives it back to what opened it. */
export function Dialog({ open, title, onClose, footer, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (open && element && !element.open) {
      element.showModal();
      focusFirst(element);
    }
    if (!open) element?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      className={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // A file chooser inside tells of its own cancelling by the same event.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      {open && (
        <div className="dialog-sheet">
          <header className="dialog-head">
            <h2 id={titleId} tabIndex={-1}>
              {title}
            </h2>
            <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
              <CrossIcon />
            </button>
          </header>
          <div className="dialog-body">{children}</div>
          {footer && <footer className="dialog-foot">{footer}</footer>}
        </div>
      )}
    </dialog>
  );
}

/** What is to be filled in; where nothing is, the title, so that the dialog is read from its beginning. */
function focusFirst(dialog: HTMLDialogElement): void {
  const control = dialog.querySelector<HTMLElement>(
    ':is(input, select, textarea):not([type="hidden"], :disabled)',
  );
  (control ?? dialog.querySelector('h2'))?.focus();
}
