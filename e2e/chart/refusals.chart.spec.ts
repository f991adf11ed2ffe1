import { AUSTRALIAN_REGIONS } from '@currawong/config';
import { describeWithHelm, renderChart, renderFails, type Sets } from './render';
import { environmentOf, evaluation, production, workload } from './workloads';

describeWithHelm('outside of Australia', () => {
  it.each(['us-east-1', 'ap-southeast-1', 'eu-west-2', 'AP-SOUTHEAST-2', ''])(
    'region=%j is refused',
    (region) => {
      expect(renderFails([evaluation], { region })).toContain(
        `region="${region}" is not in Australia: recordings may be kept in Australian regions alone. ` +
          `Set region to one of ${AUSTRALIAN_REGIONS.join(', ')}.`,
      );
    },
  );

  it.each(AUSTRALIAN_REGIONS)('region=%s is taken, and told to the services', (region) => {
    const objects = renderChart([evaluation], { region });
    const { CURRAWONG_REGION, S3_REGION } = environmentOf(workload(objects, 'worker-cpu').containers[0]!);
    expect([CURRAWONG_REGION, S3_REGION]).toEqual([region, region]);
  });

  it.each(['us-west-2', 'ap-southeast-4'])('a store of %s is refused, for a cluster in Sydney', (region) => {
    expect(renderFails([production], { 'store.region': region })).toContain(
      `store.region="${region}" is not the region of the cluster (ap-southeast-2): recordings must stay where they are worked on.`,
    );
  });

  it.each([
    'https://s3.us-east-1.amazonaws.com',
    'https://s3.amazonaws.com',
    'https://s3.dualstack.eu-west-1.amazonaws.com',
    'https://bucket.vpce-1a2b3c.s3.us-west-2.vpce.amazonaws.com:443',
    'https://s3.ap-southeast-4.amazonaws.com',
  ])('%s is refused, for a cluster in Sydney', (endpoint) => {
    expect(renderFails([production], { 'store.endpoint': endpoint })).toContain(
      `store.endpoint="${endpoint}" is not in ap-southeast-2: recordings must stay there. ` +
        'Set store.endpoint to https://s3.ap-southeast-2.amazonaws.com.',
    );
  });

  it.each([
    'https://s3.dualstack.ap-southeast-2.amazonaws.com',
    'https://bucket.vpce-1.s3.ap-southeast-2.vpce.amazonaws.com',
  ])('%s is taken', (endpoint) => {
    expect(renderChart([production], { 'store.endpoint': endpoint })).not.toEqual([]);
  });
});

describeWithHelm('values that could not work', () => {
  const refusals: [string, string[], Sets, string][] = [
    ['no values at all', [], {}, 'nats.url is not set: give the addresses of the NATS servers'],
    [
      'no object store',
      [],
      { 'nats.url': 'nats://n:4222' },
      'store.endpoint is not set: give the address of the object store',
    ],
    [
      'a server that the network policy hides',
      [production],
      { 'networkPolicy.postgres.namespaces': [] },
      'networkPolicy.postgres names neither namespaces nor cidrs, so nothing could reach it',
    ],
    [
      'an Ingress without a name',
      [production],
      { publicHost: '' },
      'publicHost is not set: the Ingress needs the name',
    ],
    [
      'a route without a Gateway',
      [production],
      { 'gatewayApi.enabled': true },
      'gatewayApi.parentRefs, the Gateways that carry it',
    ],
    [
      'a certificate that goes nowhere',
      [production],
      { 'ingress.tlsSecretName': '' },
      'ingress.clusterIssuer is set and ingress.tlsSecretName is not',
    ],
    [
      'External Secrets without a store',
      [production],
      { 'externalSecrets.secretStore.name': '' },
      'externalSecrets.secretStore.name is not set',
    ],
    [
      'two makers of Secrets',
      [production],
      { 'evaluation.enabled': true },
      'externalSecrets and evaluation are both enabled',
    ],
    ['no workers', [evaluation], { 'workers.cpu.enabled': false }, 'No pool of workers is enabled'],
    [
      'a duty that nobody has',
      [evaluation],
      { 'workers.cpu.duties': ['audio'] },
      'No enabled pool of workers has the duty speech, so recordings would wait for ever',
    ],
    [
      'a way to the metadata of the cloud',
      [production],
      { 'networkPolicy.store.cidrs': ['169.254.169.254/32'] },
      "169.254.169.254/32 is where the cloud hands out the machine's credentials; no pod may reach it",
    ],
    [
      'the same by another protocol',
      [production],
      { 'networkPolicy.store.cidrs': ['fd00:ec2::/32'] },
      "fd00:ec2::/32 is where the cloud hands out the machine's credentials; no pod may reach it",
    ],
    [
      'a value that does not exist',
      [evaluation],
      { 'gateway.replicaCount': 2 },
      "additional properties 'replicaCount' not allowed",
    ],
    [
      'a setting that does not exist',
      [evaluation],
      { 'gateway.settings.SIGNUP': 'open' },
      "at '/gateway/settings': additional properties 'SIGNUP' not allowed",
    ],
    [
      'a secret among the settings',
      [evaluation],
      { 'gateway.settings.SMTP_URL': 'smtp://u:p@h' },
      "at '/gateway/settings': additional properties 'SMTP_URL' not allowed",
    ],
    [
      'a password in an address',
      [production],
      { 'nats.url': 'nats://user:password@nats:4222' },
      "at '/nats/url'",
    ],
    ['a version without a name', [evaluation], { 'image.tag': 'latest' }, "at '/image/tag'"],
    [
      'a wrong type',
      [evaluation],
      { 'gateway.replicas': 'two' },
      "at '/gateway/replicas': got string, want integer",
    ],
    [
      'memory without a limit',
      [evaluation],
      { 'jobs.resources.limits': null },
      "at '/jobs/resources': missing property 'limits'",
    ],
  ];

  it.each(refusals)('%s', (_, values, sets, sentence) => {
    expect(renderFails(values, sets)).toContain(sentence);
  });
});
