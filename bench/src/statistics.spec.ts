import { inTurns, median, quantile, ratiosOfPairs, summarize } from './statistics';

describe('what measurements come to', () => {
  it('the median is the middle one, or halfway between two, whatever their order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 10, 2])).toBe(3);
    expect(median([7])).toBe(7);
  });

  it('is ordered as numbers are, not as text is', () => {
    expect(summarize([10, 9, 100])).toEqual({ median: 10, low: 9, high: 100 });
  });

  it('a quantile is a value that was measured', () => {
    const values = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect(quantile(values, 0.95)).toBe(19);
    expect(quantile(values, 0.5)).toBe(10);
    expect(quantile(values, 1)).toBe(20);
    expect(quantile(values, 0)).toBe(1);
    expect(quantile([3], 0.95)).toBe(3);
  });

  it('leaves the measurements as they were', () => {
    const values = [3, 1, 2];
    summarize(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('refuses to make a figure out of nothing, or of what is no number', () => {
    expect(() => summarize([])).toThrow(RangeError);
    expect(() => median([1, NaN])).toThrow(RangeError);
    expect(() => quantile([Infinity], 0.5)).toThrow(RangeError);
  });
});

describe('ratios', () => {
  it('are taken within each pair: a slow minute that hits both sides cancels out', () => {
    const ratios = ratiosOfPairs([90, 9, 45], [100, 10, 50]);
    expect(ratios.map((ratio) => ratio.toFixed(6))).toEqual(['0.900000', '0.900000', '0.900000']);
  });

  it('need as many on either side, and something to divide by', () => {
    expect(() => ratiosOfPairs([1, 2], [1])).toThrow(RangeError);
    expect(() => ratiosOfPairs([1], [0])).toThrow(RangeError);
    expect(() => ratiosOfPairs([1], [NaN])).toThrow(RangeError);
  });
});

it('sides take turns, A/B/A/B, and each keeps what it measured in order', async () => {
  const order: string[] = [];
  const told: number[] = [];
  const side = (name: string) => async (round: number) => {
    order.push(name + String(round));
    return order.length;
  };
  const measured = await inTurns(2, { a: side('a'), b: side('b') }, (round) => told.push(round));
  expect(order).toEqual(['a0', 'b0', 'a1', 'b1']);
  expect(measured).toEqual({ a: [1, 3], b: [2, 4] });
  expect(told).toEqual([1, 2]);
});
