import { parsePromql } from './promql';

it('every metric of an expression is found, with its matchers and the labels that it is grouped by', () => {
  expect(
    parsePromql(
      'sum by (stage) (rate(a_total{job="x",le=~"5(\\\\.0)?"}[5m])) / on (stage) group_left (kind) b:c:rate5m or up',
    ),
  ).toEqual({
    selectors: [
      {
        metric: 'a_total',
        matchers: [
          { label: 'job', operator: '=', value: 'x' },
          { label: 'le', operator: '=~', value: '5(\\.0)?' },
        ],
      },
      { metric: 'b:c:rate5m', matchers: [] },
      { metric: 'up', matchers: [] },
    ],
    groupingLabels: ['stage', 'kind'],
  });
});

it.each(['sum(a', 'rate(a[5m]) by', 'a{b=1}'])('%s is no PromQL', (text) => {
  expect(() => parsePromql(text)).toThrow('not PromQL');
});
