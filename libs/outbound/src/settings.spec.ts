import { outboundEnvironment } from './settings';

it('addresses that an operator allows are a list of ranges, empty unless set', () => {
  const allowed = (list?: string) =>
    outboundEnvironment.parse({ OUTBOUND_ALLOWED_ADDRESSES: list }).OUTBOUND_ALLOWED_ADDRESSES.length;
  expect([allowed(), allowed(''), allowed('10.0.0.0/8, fd00::/8,127.0.0.1')]).toEqual([0, 0, 3]);
});

it('a list with anything else is refused with what is meant', () => {
  const parsed = outboundEnvironment.safeParse({ OUTBOUND_ALLOWED_ADDRESSES: '10.0.0.0/8,receiver.local' });
  expect(parsed.error?.issues).toEqual([
    expect.objectContaining({
      path: ['OUTBOUND_ALLOWED_ADDRESSES'],
      message: 'must be addresses or ranges such as 10.20.0.0/16, separated by commas',
    }),
  ]);
});
