import { Inject, Injectable, Logger } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';

/** A mail server that does not answer is left after this; the mail waits for its next attempt. */
const CONNECT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 30_000;

export interface Mail {
  id: string;
  recipient: string;
  subject: string;
  body: string;
}

/** `refused`: the server will never take this one. `failed`: another attempt may succeed. */
export type MailOutcome = { kind: 'sent' } | { kind: 'failed' | 'refused'; reason: string };

/** Hands mails to the mail server; where none is set up, to whoever reads the log. */
@Injectable()
export class MailTransport {
  private readonly log = new Logger(MailTransport.name);
  private readonly server: Transporter | undefined;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {
    if (config.SMTP_URL === undefined) return;
    this.server = createTransport({
      url: config.SMTP_URL,
      connectionTimeout: CONNECT_WITHIN_MS,
      greetingTimeout: CONNECT_WITHIN_MS,
      socketTimeout: ANSWER_WITHIN_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ id, recipient, subject, body }: Mail): Promise<MailOutcome> {
    if (!this.server) {
      // On purpose with its links: there is no other place where the person who runs this could find them.
      this.log.warn(
        `No mail server is set up (SMTP_URL), so this is not sent. To ${recipient}: ${subject}\n\n${body}`,
      );
      return { kind: 'sent' };
    }
    const from = this.config.MAIL_FROM!;
    const host = /@([^>]+)>?$/.exec(from)![1]!;
    try {
      await this.server.sendMail({ from, to: recipient, subject, text: body, messageId: `<${id}@${host}>` });
      return { kind: 'sent' };
    } catch (error) {
      return { kind: isRefusal(error) ? 'refused' : 'failed', reason: reasonOf(error) };
    }
  }
}

/** 5xx to this recipient or this text. Of the log-in it is the operator's mistake, and can be put right within the day. */
function isRefusal(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string };
  return responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA');
}

/** A server may repeat the recipient in its words: of those only the number. */
function reasonOf(error: unknown): string {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  return [code, command, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown error';
}
