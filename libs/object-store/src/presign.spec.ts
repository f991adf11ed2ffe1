import { presign } from './presign';

it('signs as the example in Amazon’s documentation of Signature Version 4 in the query', () => {
  const url = presign(
    { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    {
      ...{ method: 'GET', region: 'us-east-1', query: {}, expiresSeconds: 86_400 },
      url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
      at: new Date('2013-05-24T00:00:00.000Z'),
    },
  );
  expect(url).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

it('carries the token of temporary keys, and names the headers that must be sent', () => {
  const url = new URL(
    presign(
      { accessKey: 'a', secretKey: 's', sessionToken: 't+/=' },
      {
        ...{ method: 'PUT', region: 'ap-southeast-2', query: { partNumber: '1' }, expiresSeconds: 60 },
        ...{ url: new URL('https://store.test/b/k'), at: new Date(), headers: { 'content-length': '5' } },
      },
    ),
  );
  expect(url.searchParams.get('X-Amz-Security-Token')).toBe('t+/=');
  expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
});
