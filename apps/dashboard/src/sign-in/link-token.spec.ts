import { tokenOf } from './link-token';

it('the token is read from the part of the address that no server sees', () => {
  expect(tokenOf('#token=abc_-123')).toBe('abc_-123');
});

it.each(['', '#', '#token=', '#other=1'])('there is none in "%s"', (hash) =>
  expect(tokenOf(hash)).toBeNull(),
);
