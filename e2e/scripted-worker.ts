import {
  ClaimWork,
  objectKeys,
  RediarizeWork,
  SubmitJob,
  WholeWork,
  WorkFinished,
  WorkProgress,
  type PayloadOf,
  type WorkOutcome,
  type WorkReference,
} from '@currawong/contracts';
import {
  connectMessaging,
  ensureStreams,
  Notices,
  Publisher,
  Requester,
  type MessagingConnection,
} from '@currawong/messaging';
import { createObjectStore, type ObjectStore } from '@currawong/object-store';
import type { TestPlatform } from '@currawong/testing';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { setTimeout as sleep } from 'node:timers/promises';

type Whole = PayloadOf<typeof WholeWork>;
type Rediarize = PayloadOf<typeof RediarizeWork>;

/**
 * A worker that does exactly what a test says, late and twice where it says so. It speaks to the real services over the
 * real broker; only the speech is made up.
 */
export class ScriptedWorker {
  private constructor(
    private readonly nats: NatsConnection,
    private readonly connection: MessagingConnection,
    private readonly requester: Requester,
    private readonly publisher: Publisher,
    private readonly store: ObjectStore,
  ) {}

  static async join(platform: TestPlatform): Promise<ScriptedWorker> {
    const url = new URL(platform.nats.url);
    const nats = await connect({
      servers: url.host,
      ...(url.password
        ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
        : {}),
      ...(url.username && !url.password ? { token: decodeURIComponent(url.username) } : {}),
    });
    const connection = await connectMessaging({ url: platform.nats.url, name: 'scripted-worker' });
    await ensureStreams(connection);
    const store = createObjectStore({ ...platform.s3 });
    return new ScriptedWorker(nats, connection, new Requester(connection), new Publisher(connection), store);
  }

  async leave(): Promise<void> {
    await this.connection.close();
    await this.nats.close();
  }

  /** Takes this job's next message out of the queue; messages of other jobs that come first are dropped. */
  take(jobId: string, withinSeconds = 20): Promise<Whole> {
    return this.next<Whole>('scripted', WholeWork.subject, jobId, withinSeconds);
  }

  private async next<Work extends WorkReference>(
    durable_name: string,
    filter_subject: string,
    jobId: string,
    withinSeconds: number,
  ): Promise<Work> {
    const manager = await jetstreamManager(this.nats);
    await manager.consumers.add('CURRAWONG_WORK', { durable_name, filter_subject, ack_policy: 'explicit' });
    const consumer = await jetstream(this.nats).consumers.get('CURRAWONG_WORK', durable_name);
    const deadline = Date.now() + withinSeconds * 1000;
    while (Date.now() < deadline) {
      const message = await consumer.next({ expires: Math.max(1000, deadline - Date.now()) });
      message?.ack();
      const work = message?.json<Work>();
      if (work?.job_id === jobId) return work;
    }
    throw new Error(`no work of job ${jobId} came within ${withinSeconds} s`);
  }

  /** @returns the work with the attempt that is ours now, or null where it is not to be had */
  async claim<Work extends WorkReference>(work: Work, worker = 'scripted'): Promise<Work | null> {
    const { job_id, item_id, attempt } = work;
    const answer = await this.requester.ask(ClaimWork, { job_id, item_id, attempt, worker });
    return answer.ok && answer.value.claimed ? { ...work, attempt: answer.value.attempt } : null;
  }

  /** Takes this job's next message and the attempt that goes with it. */
  async begin(jobId: string): Promise<Whole> {
    const work = await this.claim(await this.take(jobId));
    if (!work) throw new Error(`the work of job ${jobId} was not to be had`);
    return work;
  }

  /** The same for the work of telling the speakers of a completed job apart again. */
  async beginRediarizing(jobId: string, withinSeconds = 20): Promise<Rediarize> {
    // A workqueue gives each subject to one consumer: that of the workers that are halted goes.
    const manager = await jetstreamManager(this.nats);
    await manager.consumers.delete('CURRAWONG_WORK', 'work-audio').catch(() => undefined);
    for (;;) {
      const work = await this.next<Rediarize>('scripted-audio', RediarizeWork.subject, jobId, withinSeconds);
      const claimed = await this.claim(work);
      if (claimed) return claimed;
      // Sent again meanwhile, or done: then no other comes.
    }
  }

  /** Reports that the recording says these words. */
  async transcribed(work: Whole, text: string, durationSeconds: number): Promise<void> {
    const result_key = objectKeys.result(work.job_id, work.item_id, work.attempt);
    const words = text
      .split(' ')
      .map((word, index) => ({ text: word, start: index, end: index + 1, confidence: 1 }));
    const document = {
      version: 1,
      language: 'en',
      durationSeconds,
      speakers: 1,
      segments: [{ start: 0, end: words.length, speaker: 'Speaker 1', text, confidence: 1, words }],
      transcription: text,
      diarization: `[Speaker 1]: ${text}`,
      warnings: [],
      engine: { name: 'scripted', version: '1' },
      diarizer: { name: 'scripted', version: '1' },
    };
    await this.store.putBuffer(result_key, Buffer.from(JSON.stringify(document)), {
      contentType: 'application/json',
    });
    await this.report(work, { kind: 'transcribed', duration_seconds: durationSeconds, result_key });
  }

  /** @param deliveries how often the same report arrives */
  async report(work: WorkReference, outcome: WorkOutcome, deliveries = 1): Promise<void> {
    const { job_id, item_id, attempt } = work;
    for (let delivery = 0; delivery < deliveries; delivery++) {
      await this.publisher.publish(
        WorkFinished,
        { job_id, item_id, attempt, outcome },
        { messageId: `${item_id}:${attempt}:${outcome.kind}:${delivery}:${Math.random()}` },
      );
    }
  }

  /** Says that the worker is still at it. */
  async pulse({ job_id, item_id, attempt }: WorkReference): Promise<void> {
    new Notices(this.connection).send(WorkProgress, { job_id, item_id, attempt, fraction: 0.5 });
    await this.nats.flush();
  }

  /** As a gateway does whose first answer was lost. */
  async submitAgain(job_id: string): Promise<boolean> {
    const submission = { job_id, size_bytes: 1, language: 'en', num_speakers: null, prompt: '' };
    return (await this.requester.ask(SubmitJob, submission)).ok;
  }

  /** Long enough for whatever was reported to have been handled. */
  async afterwards(): Promise<void> {
    await sleep(700);
  }
}
