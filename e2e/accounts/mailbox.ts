import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string;
  messageId: string;
  subject: string;
  text: string;
}

/** A mail server that keeps what it is given, and can be told to refuse. */
export interface Mailbox {
  url: string;
  mails: ReceivedMail[];
  /** What the next recipients are answered instead: 450 is "later", 550 "never". */
  refuseWith: number | undefined;
  /** How often a recipient was refused. */
  refused: number;
  to(email: string): ReceivedMail[];
  stop(): Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo(_address, _session, callback) {
      const code = mailbox.refuseWith;
      if (code === undefined) return callback();
      mailbox.refused++;
      callback(Object.assign(new Error('not now'), { responseCode: code }));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mailbox.mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map((one) => one.address).join(','),
          ...parse(Buffer.concat(chunks).toString('utf8')),
        });
        callback();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const mailbox: Mailbox = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    refuseWith: undefined,
    refused: 0,
    to: (email) => mailbox.mails.filter((mail) => mail.to === email),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailbox;
}

/** The token at the end of a mail's link. */
export function tokenIn(mail: ReceivedMail): string {
  const token = /#token=([\w-]+)/.exec(mail.text)?.[1];
  if (!token) throw new Error(`no link in: ${mail.text}`);
  return token;
}

function parse(raw: string): Pick<ReceivedMail, 'messageId' | 'subject' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const headers = raw.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? '';
  const body = raw.slice(end + 4);
  const quoted = header('Content-Transfer-Encoding').toLowerCase() === 'quoted-printable';
  return {
    messageId: header('Message-ID'),
    subject: header('Subject'),
    text: (quoted ? unquoted(body) : body).replace(/\r\n/g, '\n'),
  };
}

function unquoted(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
