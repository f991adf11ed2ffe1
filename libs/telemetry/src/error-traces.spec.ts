import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  createAlwaysRecordSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ErrorTraces } from './error-traces';

const exporter = new InMemorySpanExporter();
const errorTraces = new ErrorTraces(new SimpleSpanProcessor({ exporter }), { traces: 5, spansPerTrace: 10 });
const tracer = new TracerProvider({
  sampler: createAlwaysRecordSampler(new AlwaysOffSampler()),
  spanProcessors: [errorTraces],
}).getTracer('spec');

const begin = (name: string, parent?: ReturnType<typeof tracer.startSpan>) =>
  tracer.startSpan(name, {}, parent ? trace.setSpan(context.active(), parent) : context.active());
const exported = () => exporter.getFinishedSpans().map(({ name }) => name);

beforeEach(() => exporter.reset());

it('what ends well leaves nothing behind', () => {
  const root = begin('root');
  begin('child', root).end();
  expect(errorTraces.held).toBe(1);
  root.end();
  expect([exported(), errorTraces.held]).toEqual([[], 0]);
});

it('an error takes along what ended before it and what ends after it, and no other trace', () => {
  const [root, other] = [begin('root'), begin('other')];
  begin('before', root).end();
  const failing = begin('failing', root);
  failing.setStatus({ code: SpanStatusCode.ERROR });
  failing.end();
  begin('after', root).end();
  root.end();
  other.end();
  expect(exported()).toEqual(['before', 'failing', 'after', 'root']);
});

it('of a long trace the newest spans are kept', () => {
  const root = begin('root');
  for (let index = 0; index < 100; index++) begin(`step ${index}`, root).end();
  expect(errorTraces.held).toBe(10);
  root.setStatus({ code: SpanStatusCode.ERROR });
  root.end();
  expect(exported()).toEqual([...Array.from({ length: 10 }, (_, index) => `step ${index + 90}`), 'root']);
});

it('of traces that never end the newest are kept, and the others forgotten without harm', () => {
  const roots = Array.from({ length: 50 }, (_, index) => begin(`root ${index}`));
  for (const root of roots) begin('child', root).end();
  expect(errorTraces.held).toBeLessThanOrEqual(5);
  for (const root of roots) root.setStatus({ code: SpanStatusCode.ERROR }).end();
  expect(exported()).toContain('root 49');
  expect(exported()).not.toContain('root 0');
  expect(errorTraces.held).toBe(0);
});
