import { haveSameBorders } from './chunk-borders';

const chunk = { start_seconds: 58, end_seconds: 122, own_start_seconds: 60, own_end_seconds: 120 };

describe('two cuts of a piece of a recording', () => {
  it('are the same to the millisecond', () => {
    expect(haveSameBorders(chunk, { ...chunk })).toBe(true);
    expect(haveSameBorders(chunk, { ...chunk, end_seconds: 122.0009 })).toBe(true);
    for (const name of Object.keys(chunk) as (keyof typeof chunk)[])
      expect(haveSameBorders(chunk, { ...chunk, [name]: chunk[name] + 0.002 })).toBe(false);
  });

  it('are the same where one says that all is its own and the other does not say', () => {
    const plain = { start_seconds: 60, end_seconds: 120 };
    expect(haveSameBorders(plain, { ...plain, own_start_seconds: 60, own_end_seconds: 120 })).toBe(true);
    expect(haveSameBorders(plain, { ...plain, own_start_seconds: 60.5, own_end_seconds: 120 })).toBe(false);
  });
});
