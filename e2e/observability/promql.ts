import { parser } from '@prometheus-io/lezer-promql';

export interface Matcher {
  label: string;
  operator: '=' | '!=' | '=~' | '!~';
  value: string;
}

/** One series selector of an expression. */
export interface Selector {
  metric: string;
  matchers: Matcher[];
}

export interface Expression {
  selectors: Selector[];
  /** Of `by`, `without`, `on`, `ignoring`, `group_left` and `group_right`. */
  groupingLabels: string[];
}

/** @throws with the place where the text is no PromQL */
export function parsePromql(text: string): Expression {
  const selectors: Selector[] = [];
  const groupingLabels = new Set<string>();
  const textOf = (node: { from: number; to: number }) => text.slice(node.from, node.to);
  const tree = parser.parse(text);
  tree.iterate({
    enter({ type, from }) {
      if (type.isError) throw new Error(`not PromQL at "${text.slice(from, from + 40)}": ${text}`);
    },
  });
  tree.iterate({
    enter({ type, node }) {
      if (type.name === 'GroupingLabels') {
        for (const label of node.getChildren('LabelName')) groupingLabels.add(textOf(label));
      }
      if (type.name !== 'VectorSelector') return;
      const metric = node.getChild('Identifier');
      if (!metric) throw new Error(`a selector without the name of a metric: ${text}`);
      selectors.push({
        metric: textOf(metric),
        matchers: (node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map(
          (matcher) => ({
            label: textOf(matcher.getChild('LabelName')!),
            operator: textOf(matcher.getChild('MatchOp')!) as Matcher['operator'],
            value: unquoted(textOf(matcher.getChild('StringLiteral')!)),
          }),
        ),
      });
    },
  });
  return { selectors, groupingLabels: [...groupingLabels] };
}

function unquoted(literal: string): string {
  const inside = literal.slice(1, -1);
  return literal.startsWith('`') ? inside : inside.replace(/\\(.)/g, '$1');
}
