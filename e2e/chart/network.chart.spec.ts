import { describeWithHelm, renderChart, type Rendered } from './render';
import { evaluation, named, ofKind, production, selects, shippedValues, workloadsOf } from './workloads';

/** A rule's other side as one word: a component of the release, a namespace, or a range of addresses. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function peer({ podSelector, namespaceSelector, ipBlock }: any): string[] {
  if (ipBlock) return [ipBlock.cidr];
  if (namespaceSelector) return [namespaceSelector.matchLabels['kubernetes.io/metadata.name']];
  const { matchLabels, matchExpressions } = podSelector;
  return matchExpressions ? matchExpressions[0].values : [matchLabels['app.kubernetes.io/component']];
}

/** `nats:4222` for each thing that a component may reach, or is reached by. */
function allowed(objects: Rendered[], component: string, direction: 'ingress' | 'egress'): string[] {
  const { spec } = named(objects, 'NetworkPolicy', `currawong-${component}`);
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return (spec[direction] ?? []).flatMap(({ from, to, ports }: any) =>
    (from ?? to ?? [{ ipBlock: { cidr: 'anybody' } }]).flatMap(peer).flatMap((name: string) => {
      const numbers: string[] = (ports ?? [{ port: 'any' }]).map(({ port }: { port: unknown }) =>
        String(port),
      );
      return [...new Set(numbers)].map((port) => `${name}:${port}`);
    }),
  );
}

describeWithHelm.each(shippedValues)('the network policies of %s', (values) => {
  it('deny every pod everything, both ways, and each component has one of its own besides', () => {
    const objects = renderChart([values]);
    const everything = ofKind(objects, 'NetworkPolicy').find(({ metadata }) =>
      metadata.name.endsWith('-default-deny'),
    );
    expect(everything?.['spec'].policyTypes).toEqual(['Ingress', 'Egress']);
    expect([everything?.['spec'].ingress, everything?.['spec'].egress]).toEqual([undefined, undefined]);
    for (const { name, labels } of workloadsOf(objects)) {
      const policies = ofKind(objects, 'NetworkPolicy').filter(({ spec }) =>
        selects(spec.podSelector, labels),
      );
      expect([name, policies.length]).toEqual([name, 2]);
    }
  });

  it('never reach the addresses at which clouds hand out credentials', () => {
    const blocks = ofKind(renderChart([values]), 'NetworkPolicy').flatMap(({ spec }) =>
      // eslint-disable-next-line @typescript-eslint/no-explicit-any
      (spec.egress ?? []).flatMap(({ to = [] }: any) => to.flatMap(({ ipBlock }: any) => ipBlock ?? [])),
    );
    expect(blocks.length).toBeGreaterThan(0);
    for (const { cidr, except = [] } of blocks) {
      if (cidr === '0.0.0.0/0') expect(except).toContain('169.254.0.0/16');
      else if (cidr === '::/0')
        expect(except).toEqual(expect.arrayContaining(['fd00:ec2::254/128', 'fe80::/10']));
      // All public addresses of IPv6, and no other.
      else if (cidr !== '2000::/3') expect(cidr).toMatch(/^(10|172|192)\./);
    }
  });
});

describeWithHelm('in an evaluation', () => {
  let objects: Rendered[];
  beforeAll(() => (objects = renderChart([evaluation])));

  it.each([
    [
      'gateway',
      ['kube-system:53', 'nats:4222', 'postgres:5432', 'store:8333', '0.0.0.0/0:443', '2000::/3:443'],
    ],
    ['webhooks', ['kube-system:53', 'nats:4222', 'postgres:5432', '0.0.0.0/0:443', '2000::/3:443']],
    ['jobs', ['kube-system:53', 'nats:4222', 'postgres:5432', 'store:8333']],
    ['billing', ['kube-system:53', 'nats:4222', 'postgres:5432']],
    ['worker-cpu', ['kube-system:53', 'nats:4222', 'store:8333']],
    ['admin', ['kube-system:53', 'nats:4222']],
    ['migrate', ['kube-system:53', 'postgres:5432', 'store:8333']],
    ['check', ['kube-system:53', 'nats:4222', 'gateway:8080']],
    ['secrets', ['kube-system:53', '0.0.0.0/0:any', '::/0:any']],
    ['postgres', []],
    ['nats', []],
    ['store', []],
  ])('%s reaches no more than it needs', (component, expected) => {
    expect(allowed(objects, component, 'egress')).toEqual(expected);
  });

  it.each([
    ['gateway', ['anybody:8080', 'monitoring:9090']],
    ['webhooks', ['monitoring:9090']],
    ['jobs', ['monitoring:9090', 'keda:9090']],
    ['billing', ['monitoring:9090']],
    ['worker-cpu', ['monitoring:9090']],
    ['admin', []],
    ['postgres', ['gateway:5432', 'webhooks:5432', 'jobs:5432', 'billing:5432', 'migrate:5432']],
    [
      'nats',
      [
        'gateway:4222',
        'webhooks:4222',
        'jobs:4222',
        'billing:4222',
        'worker-cpu:4222',
        'worker-gpu:4222',
        'admin:4222',
        'check:4222',
      ],
    ],
    ['store', ['gateway:8333', 'jobs:8333', 'worker-cpu:8333', 'worker-gpu:8333', 'migrate:8333']],
  ])('%s is reached by those alone that need it', (component, expected) => {
    expect(allowed(objects, component, 'ingress')).toEqual(expected);
  });
});

describeWithHelm('in production', () => {
  it('workers reach NATS, the store and the collector, not Postgres', () => {
    expect(allowed(renderChart([production]), 'worker-cpu', 'egress')).toEqual([
      'kube-system:53',
      'currawong-data:4222',
      'monitoring:4318',
      '0.0.0.0/0:443',
      '::/0:443',
    ]);
  });

  it('the gateway is reached from the ingress controller and by the test of the installation', () => {
    expect(allowed(renderChart([production]), 'gateway', 'ingress')).toEqual([
      'ingress-nginx:8080',
      'check:8080',
      'monitoring:9090',
    ]);
  });

  it('mail, sign-on and payments open a way only where they are configured', () => {
    const ways = (component: string, sets = {}) =>
      allowed(renderChart([production], sets), component, 'egress');
    const cidrs = ['203.0.113.0/24'];
    expect(ways('gateway', { 'networkPolicy.mail.cidrs': cidrs })).not.toContain('203.0.113.0/24:587');
    expect(ways('gateway', { 'networkPolicy.mail.cidrs': cidrs, 'secrets.mail': 'm' })).toContain(
      '203.0.113.0/24:587',
    );
    const issuer = { 'gateway.settings.OIDC_ISSUER': 'https://id.example.com' };
    expect(ways('gateway', { 'networkPolicy.signOn.cidrs': cidrs, ...issuer })).toContain(
      '203.0.113.0/24:443',
    );
    expect(ways('billing')).not.toContain('0.0.0.0/0:443');
    expect(ways('billing', { 'secrets.payments': 'p' })).toEqual(
      expect.arrayContaining(['0.0.0.0/0:443', '::/0:443']),
    );
    const external = { 'externalSecrets.remoteKeys.payments': 'currawong/payments' };
    expect(ways('billing', external)).toContain('0.0.0.0/0:443');
  });

  it.each(['webhooks', 'gateway'])('%s reaches no address inside the network for a customer', (component) => {
    const customers = { 'networkPolicy.store.cidrs': ['203.0.113.0/24'] };
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const blocks = (sets: object): any[] =>
      named(
        renderChart([production], { ...customers, ...sets }),
        'NetworkPolicy',
        `currawong-${component}`,
        // eslint-disable-next-line @typescript-eslint/no-explicit-any
      )['spec'].egress.flatMap(({ to }: any) => to.flatMap(({ ipBlock }: any) => ipBlock ?? []));
    const everybody = blocks({}).find(({ cidr }) => cidr === '0.0.0.0/0');
    expect(everybody.except).toEqual(
      expect.arrayContaining([
        '10.0.0.0/8',
        '172.16.0.0/12',
        '192.168.0.0/16',
        '127.0.0.0/8',
        '100.64.0.0/10',
      ]),
    );
    expect(blocks({ 'networkPolicy.customers.cidrs': ['10.20.0.0/16'] })).toContainEqual({
      cidr: '10.20.0.0/16',
    });
  });

  it('the test of the installation goes in by the front door, and by the pods behind it', () => {
    const door = (sets = {}) => allowed(renderChart([production], sets), 'check', 'egress').slice(3);
    expect(door()).toEqual([
      ...['0.0.0.0/0:80', '0.0.0.0/0:443', '::/0:80', '::/0:443'],
      'ingress-nginx:undefined',
    ]);
    expect(door({ 'networkPolicy.clients.namespaces': [] })).toEqual(
      ['0.0.0.0/0', '::/0'].flatMap((cidr) =>
        [80, 443, 8080, 8443, 10080, 10443].map((port) => `${cidr}:${port}`),
      ),
    );
    expect(door({ 'ingress.enabled': false })).toEqual([]);
  });

  it.each([
    ['168.0.0.0/6', ['169.254.0.0/16']],
    ['128.0.0.0/1', ['169.254.0.0/16']],
    ['10.0.0.0/8', undefined],
    ['169.253.0.0/16', undefined],
    ['170.0.0.0/8', undefined],
    ['fd00::/8', ['fd00:ec2::254/128', 'fd20:ce::254/128']],
    ['fd12:3456::/32', undefined],
    ['::/0', ['fd00:ec2::254/128', 'fd20:ce::254/128', 'fe80::/10']],
  ])('of %s these are taken out: %j', (cidr, except) => {
    const { spec } = named(
      renderChart([production], { 'networkPolicy.store.cidrs': [cidr] }),
      'NetworkPolicy',
      'currawong-jobs',
    );
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const blocks = spec.egress.flatMap(({ to }: any) => to.flatMap(({ ipBlock }: any) => ipBlock ?? []));
    expect(blocks).toEqual([except ? { cidr, except } : { cidr }]);
  });
});
