/** HTML that is safe to put into other HTML as it is. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | Part[] | string | number | false | null | undefined;

/** html`<p>${text}</p>`: whatever is put in is text unless it is Html itself; nothing comes of what is not there. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(rendered)));
}

function rendered(part: Part): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(rendered).join('');
  if (part === false || part === null || part === undefined) return '';
  return String(part).replace(/[&<>"']/g, (character) => ESCAPED[character]!);
}

const ESCAPED: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Our own sentences: words in backticks become code, everything else is text. */
export function prose(sentences: string): Html {
  const parts = sentences.split(/`([^`]+)`/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** A long path may break before its slashes. */
export function breakable(path: string): Html {
  return html`${path.split(/(?=\/)/).map((part, index) => (index === 0 ? part : html`<wbr />${part}`))}`;
}
