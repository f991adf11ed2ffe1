import { currentTraceHeaders, currentTraceIds, inSpan, runWithTraceHeaders } from './trace-context';
import { startTracing } from './tracing';

beforeAll(() => {
  startTracing('test', { environment: {} });
});

it('a trace goes on where its headers are taken up again, under a new span', async () => {
  const [headers, ids] = await inSpan('upload', {}, async () => [currentTraceHeaders(), currentTraceIds()]);
  const later = await runWithTraceHeaders(headers, 'handle', {}, async () => currentTraceIds());
  expect(later?.traceId).toBe(ids?.traceId);
  expect(later?.spanId).not.toBe(ids?.spanId);
});

it('the names of headers may come in any case', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const ids = await runWithTraceHeaders({ Traceparent: traceparent }, 'handle', {}, async () =>
    currentTraceIds(),
  );
  expect(ids?.traceId).toBe('a'.repeat(32));
});

it.each([{}, { traceparent: 'nonsense' }])('headers %j begin a new trace', async (headers) => {
  const ids = await runWithTraceHeaders(headers, 'handle', {}, async () => currentTraceIds());
  expect(ids?.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
});

it('there is no trace outside of any work', () => {
  expect(currentTraceIds()).toBeUndefined();
  expect(currentTraceHeaders()).toEqual({});
});

it('an exception passes through', async () => {
  await expect(inSpan('work', {}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
