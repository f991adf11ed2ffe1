import { parseReplySubject } from './delivery';

describe('what the broker tells about a delivery', () => {
  it.each([
    ['$JS.ACK.CURRAWONG_WORK.worker.3.17.20.1763690000123456789.4'],
    ['$JS.ACK._.account.CURRAWONG_WORK.worker.3.17.20.1763690000123456789.4'],
    ['$JS.ACK.domain.account.CURRAWONG_WORK.worker.3.17.20.1763690000123456789.4.token'],
  ])('is read from %s', (reply) => {
    expect(parseReplySubject(reply)).toEqual({ deliveries: 3, publishedAtMs: 1_763_690_000_123 });
  });

  it.each([
    '',
    '_INBOX.abc.1',
    '$JS.ACK.only.a.few',
    '$JS.NAK.stream.consumer.3.17.20.1763690000123456789.4',
  ])('is not invented from "%s"', (reply) => {
    expect(() => parseReplySubject(reply)).toThrow(TypeError);
  });
});
