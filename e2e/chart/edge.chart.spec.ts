import { describeWithHelm, renderChart, type Rendered } from './render';
import { environmentOf, evaluation, named, ofKind, production, workload } from './workloads';

const gatewayEnvironment = (objects: Rendered[]) =>
  environmentOf(workload(objects, 'gateway').containers[0]!);

describeWithHelm('the Ingress', () => {
  it('lets 500 MB through, as they come, to the Service of the gateway', () => {
    const objects = renderChart([production]);
    const { metadata, spec } = named(objects, 'Ingress', 'currawong');
    const annotation = (name: string) => metadata.annotations?.[`nginx.ingress.kubernetes.io/${name}`];
    const [, megabytes] = /^(\d+)m$/.exec(annotation('proxy-body-size') ?? '') ?? [];
    // The form around the recording is small; nginx counts in units of 2^20 bytes.
    expect(Number(megabytes) * 2 ** 20).toBeGreaterThan(500_000_000 + 1_000_000);
    expect(annotation('proxy-request-buffering')).toBe('off');
    expect(Number(annotation('proxy-read-timeout'))).toBeGreaterThanOrEqual(600);
    expect(Number(annotation('proxy-send-timeout'))).toBeGreaterThanOrEqual(600);
    const [rule] = spec.rules;
    expect(rule.host).toBe('transcribe.example.com.au');
    expect(rule.http.paths[0].backend.service).toEqual({ name: 'currawong-gateway', port: { name: 'http' } });
    expect(named(objects, 'Service', 'currawong-gateway')['spec'].ports[0]).toMatchObject({
      name: 'http',
      port: 80,
    });
  });

  it('has its certificate made by cert-manager', () => {
    const { metadata, spec } = named(renderChart([production]), 'Ingress', 'currawong');
    expect(metadata.annotations?.['cert-manager.io/cluster-issuer']).toBe('lets-encrypt');
    expect(spec.tls).toEqual([{ hosts: ['transcribe.example.com.au'], secretName: 'currawong-tls' }]);
  });

  it('of another controller has the annotations that were given, and none of nginx', () => {
    const annotations = { 'alb.ingress.kubernetes.io/scheme': 'internet-facing' };
    const sets = {
      'ingress.controller': 'other',
      'ingress.annotations': annotations,
      'ingress.clusterIssuer': '',
    };
    expect(named(renderChart([production], sets), 'Ingress', 'currawong').metadata.annotations).toEqual(
      annotations,
    );
  });
});

describeWithHelm('the HTTPRoute', () => {
  const route = {
    'ingress.enabled': false,
    'gatewayApi.enabled': true,
    'gatewayApi.parentRefs': [{ name: 'public', namespace: 'gateways' }],
  };

  it('leads to the gateway, and has an hour for a request', () => {
    const objects = renderChart([production], route);
    expect(ofKind(objects, 'Ingress')).toEqual([]);
    const { spec } = named(objects, 'HTTPRoute', 'currawong');
    expect(spec.parentRefs).toEqual([{ name: 'public', namespace: 'gateways' }]);
    expect(spec.hostnames).toEqual(['transcribe.example.com.au']);
    expect(spec.rules[0]).toMatchObject({
      timeouts: { request: '1h', backendRequest: '1h' },
      backendRefs: [{ name: 'currawong-gateway', port: 80 }],
    });
    expect(gatewayEnvironment(objects)).toMatchObject({
      PUBLIC_URL: 'https://transcribe.example.com.au',
      TRUSTED_PROXY_HOPS: '1',
    });
  });
});

describeWithHelm('the gateway', () => {
  it('behind the Ingress knows its address, and that one proxy tells it who asks', () => {
    expect(gatewayEnvironment(renderChart([production]))).toMatchObject({
      PUBLIC_URL: 'https://transcribe.example.com.au',
      TRUSTED_PROXY_HOPS: '1',
    });
    const plain = { 'ingress.clusterIssuer': '', 'ingress.tlsSecretName': '' };
    expect(gatewayEnvironment(renderChart([production], plain))['PUBLIC_URL']).toBe(
      'http://transcribe.example.com.au',
    );
  });

  it('without a proxy believes no proxy', () => {
    expect(gatewayEnvironment(renderChart([evaluation]))['TRUSTED_PROXY_HOPS']).toBe('0');
  });

  it('believes as many as it is told to, and none when told so', () => {
    const hops = (number: number) =>
      gatewayEnvironment(renderChart([production], { 'gateway.trustedProxyHops': number }))[
        'TRUSTED_PROXY_HOPS'
      ];
    expect([hops(2), hops(0)]).toEqual(['2', '0']);
  });

  it('has nearly ten minutes for an upload that is under way: no more than the cluster autoscaler gives a pod', () => {
    const { pod, containers } = workload(renderChart([production]), 'gateway');
    expect(environmentOf(containers[0]!)['SHUTDOWN_GRACE_SECONDS']).toBe('570');
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(570 + 10);
    expect(pod.terminationGracePeriodSeconds).toBeLessThanOrEqual(600);
  });

  it('is given large numbers as they were written', () => {
    const sets = {
      'gateway.settings.MAX_FILE_BYTES': 500_000_000,
      'gateway.settings.KEY_CACHE_SECONDS': 0.5,
    };
    expect(gatewayEnvironment(renderChart([production], sets))).toMatchObject({
      MAX_FILE_BYTES: '500000000',
      KEY_CACHE_SECONDS: '0.5',
    });
  });
});

describeWithHelm('the test of an installation', () => {
  const baseUrl = (values: string, sets = {}) =>
    environmentOf(workload(renderChart([values], sets), 'check').containers[0]!)['BASE_URL'];

  it('goes in where customers do', () => {
    expect(baseUrl(evaluation)).toBe('http://currawong-gateway');
    expect(baseUrl(production)).toBe('https://transcribe.example.com.au');
    expect(baseUrl(production, { 'check.baseUrl': 'http://elsewhere' })).toBe('http://elsewhere');
  });
});
