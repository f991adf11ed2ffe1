import { createLogger, withLogContext } from './logger';
import { currentTraceIds, inSpan } from './trace-context';
import { startTracing } from './tracing';

describe('a log line', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('jobs', {
    write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  beforeEach(() => lines.splice(0));

  it('says when, how grave, by which service and what', () => {
    logger.info({ lease_seconds: 30 }, 'leased');
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        service: 'jobs',
        lease_seconds: 30,
        msg: 'leased',
      },
    ]);
  });

  it('carries the context of the work that wrote it, through awaits and into inner contexts', async () => {
    await withLogContext({ job_id: 'job_1' }, async () => {
      await Promise.resolve();
      logger.info('outer');
      withLogContext({ stage: 'prepare' }, () => logger.info('inner'));
    });
    logger.info('outside');
    expect(lines.map(({ msg, job_id, stage }) => [msg, job_id, stage])).toEqual([
      ['outer', 'job_1', undefined],
      ['inner', 'job_1', 'prepare'],
      ['outside', undefined, undefined],
    ]);
  });

  it('carries the ids of its trace', async () => {
    startTracing('jobs', { environment: {} });
    await inSpan('work', {}, async () => {
      logger.info('within');
      expect(lines[0]).toMatchObject({
        trace_id: currentTraceIds()?.traceId,
        span_id: currentTraceIds()?.spanId,
      });
    });
    expect(lines[0]?.['trace_id']).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each(['authorization', 'x-api-key', 'cookie', 'api_key', 'apiKey', 'password', 'secret', 'token'])(
    'never shows %s, also within what is logged',
    (field) => {
      logger.info({ [field]: 'hush', request: { [field]: 'hush', headers: { [field]: 'hush' } } }, 'request');
      expect(JSON.stringify(lines)).not.toContain('hush');
      expect(lines[0]?.[field]).toBe('[redacted]');
    },
  );

  it('of an exception has its message and stack', () => {
    logger.error({ err: new Error('no such file') }, 'failed');
    expect(lines[0]).toMatchObject({ err: { type: 'Error', message: 'no such file' }, msg: 'failed' });
    expect((lines[0]?.['err'] as { stack: string }).stack).toMatch(/logger\.spec/);
  });
});
