import { Documented } from './documented';

const body = { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] };
const documented = new Documented({
  servers: [{ url: '/api/v1' }],
  paths: {
    '/things/{id}': { get: { responses: { 200: { content: { 'application/json': { schema: body } } } } } },
  },
  components: { schemas: {} },
});
const limits = { 'ratelimit-limit': '60', 'ratelimit-remaining': '59', 'ratelimit-reset': '60' };
const answer = (changes: object = {}, headers: Record<string, string> = {}) => ({
  status: 200,
  headers: new Headers({ ...limits, 'content-type': 'application/json; charset=utf-8', ...headers }),
  body: { status: 'ok' },
  ...changes,
});
const check = (received: ReturnType<typeof answer>, path = '/api/v1/things/7') =>
  documented.check('GET', path, received);

it('an answer as documented passes', () => {
  expect(() => check(answer())).not.toThrow();
});

it.each([
  ['a status that is not documented', answer({ status: 201 }), /201, which is not documented/],
  ['a field that is not documented', answer({ body: { status: 'ok', more: 1 } }), /additional properties/],
  ['a field that is missing', answer({ body: {} }), /required property 'status'/],
  ['another type', answer({}, { 'content-type': 'text/html' }), /text\/html, which is not documented/],
  ['no number in a rate limit header', answer({}, { 'ratelimit-reset': 'soon' }), /without ratelimit-reset/],
])('%s fails the test', (_, received, why) => {
  expect(() => check(received)).toThrow(why);
});

it('where nothing is documented only a 404 or 405 with a detail passes', () => {
  expect(() => check(answer(), '/api/v1/else')).toThrow(/not documented at all/);
  expect(() => check(answer({ status: 404, body: { detail: 'Not found' } }), '/api/v1/else')).not.toThrow();
  expect(() => check(answer({ status: 404, body: { detail: 'x', stack: 'y' } }), '/api/v1/else')).toThrow(
    /detail/,
  );
});
