import { CodeBlock } from '../ui/copy';

const EXAMPLE = [
  "import { Webhook } from 'standardwebhooks';",
  'const webhook = new Webhook(process.env.WEBHOOK_SECRET);',
  'const event = webhook.verify(body, headers); // throws unless we sent it',
].join('\n');

/** How a receiver knows that it is we who tell. */
export function Verifying() {
  return (
    <div className="webhook-verifying">
      <p className="soft measure">
        Messages are signed as{' '}
        <a href="https://www.standardwebhooks.com" rel="noreferrer">
          Standard Webhooks
        </a>{' '}
        say, so its libraries check them. <code>body</code> is the text as it came, before it is read as JSON.
      </p>
      <CodeBlock code={EXAMPLE} what="the example for Node.js" />
      <p>
        <a href="/docs#webhooks">More in the documentation</a>
      </p>
    </div>
  );
}
