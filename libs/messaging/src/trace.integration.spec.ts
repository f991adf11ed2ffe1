import { Controller } from '@nestjs/common';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { z } from 'zod';
import { accept, defineRequest, defineStreamMessage, type Result } from '@currawong/contracts';
import { createLogger, currentTraceIds, inSpan, startTracing, type Tracing } from '@currawong/telemetry';
import { Answers, Consumes } from './decorators';
import { done, type Outcome } from './outcome';
import { toRawMessage } from './publisher';
import { startTestBroker, type TestBroker } from './test-broker';
import { eventually, startTestService, type TestService } from './test-service';

const work = defineStreamMessage('CURRAWONG_WORK', 'work.traced', z.object({ job_id: z.string() }));
const ask = defineRequest('test.traced', z.object({}), z.object({ traceId: z.string() }));

const traces: (string | undefined)[] = [];
const lines: Record<string, unknown>[] = [];
const logger = createLogger('test', {
  write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>),
});

@Controller()
class Traced {
  @Consumes({ durable: 'traced', contracts: work })
  async handle(_payload: { job_id: string }): Promise<Outcome> {
    traces.push(currentTraceIds()?.traceId);
    logger.info('handling');
    return done();
  }

  @Answers(ask)
  async answer(): Promise<Result<{ traceId: string }>> {
    return accept({ traceId: currentTraceIds()?.traceId ?? 'none' });
  }
}

describe('the trace of a request', () => {
  let broker: TestBroker;
  let service: TestService;
  const exporter = new InMemorySpanExporter();
  let tracing: Tracing;

  beforeAll(async () => {
    tracing = startTracing('messaging-test', { exporter });
    broker = await startTestBroker();
    service = await startTestService(broker.url, [Traced]);
  });
  afterAll(async () => {
    await service.close();
    await tracing.shutdown();
    await broker.remove();
  });

  it('goes on in the answering service', async () => {
    const [own, answered] = await inSpan('upload', {}, async () => [
      currentTraceIds()?.traceId,
      await service.requester.ask(ask, {}),
    ]);
    expect(answered).toEqual(accept({ traceId: own }));
  });

  it('goes on in the handler of a message, in spans and log lines, also by way of an outbox row', async () => {
    const row = await inSpan('submission', {}, async () => {
      traces.push(currentTraceIds()?.traceId);
      return toRawMessage(work, { job_id: 'job_7' }, { messageId: 'traced:1' });
    });
    // A relay in another process publishes the row later, outside that trace.
    await inSpan('relay', {}, () => service.publisher.publishRaw(row));
    await eventually(() => traces.length === 2, 'handled');
    expect(traces[1]).toMatch(/^[0-9a-f]{32}$/);
    expect(traces[1]).toBe(traces[0]);
    expect(lines[0]).toMatchObject({ msg: 'handling', trace_id: traces[0], job_id: 'job_7' });

    const spanWith = async (matches: (span: ReadableSpan) => boolean) => {
      await eventually(() => exporter.getFinishedSpans().some(matches), 'the span is exported');
      return exporter.getFinishedSpans().find(matches)!;
    };
    const parentOf = ({ parentSpanContext }: ReadableSpan) =>
      spanWith((span) => span.spanContext().spanId === parentSpanContext?.spanId);
    const handled = await spanWith(({ name }) => name === 'handle traced');
    const published = await parentOf(handled);
    const submitted = await parentOf(published);
    expect([published.name, submitted.name]).toEqual(['publish work.traced', 'submission']);
    expect(handled.attributes['messaging.destination.name']).toBe('work.traced');
  });
});
