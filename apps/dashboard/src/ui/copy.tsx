import { useEffect, useState } from 'react';
import { announce } from './announcer';
import { Button } from './button';
import { CopyIcon, TickIcon } from './icons';
import './copy.css';

/** Puts a text on the clipboard. `what` completes "Copy …" for those who hear the button alone. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied.');
    } catch {
      announce('The browser did not allow copying. Select the text and copy it by hand.');
    }
  };
  return (
    <Button
      small
      kind="quiet"
      className="copy-button"
      aria-label={`Copy ${what}`}
      onClick={() => void copy()}
    >
      {copied ? <TickIcon /> : <CopyIcon />}
      {copied ? 'Copied' : 'Copy'}
    </Button>
  );
}

/** A piece of code to take away. */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className="code-block">
      <pre tabIndex={0} aria-label={what}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  );
}
