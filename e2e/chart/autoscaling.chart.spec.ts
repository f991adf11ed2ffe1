import { describeWithHelm, renderChart } from './render';
import { environmentOf, evaluation, named, ofKind, production, workload } from './workloads';

const withGpu = { 'workers.gpu.enabled': true, 'workers.gpu.autoscaling.enabled': true };

describeWithHelm('workers', () => {
  it('grow with the seconds of audio that wait, as the jobs service tells KEDA', () => {
    const objects = renderChart([production]);
    const { spec } = named(objects, 'ScaledObject', 'currawong-worker-cpu');
    expect(spec).toMatchObject({
      scaleTargetRef: { name: 'currawong-worker-cpu' },
      minReplicaCount: 1,
      maxReplicaCount: 20,
      fallback: { replicas: 2, behavior: 'currentReplicasIfHigher' },
    });
    expect(spec.triggers).toEqual(
      [
        { duty: 'speech', target: '600' },
        { duty: 'audio', target: '3600' },
      ].map(({ duty, target }) => ({
        type: 'metrics-api',
        name: duty,
        metadata: {
          url: 'http://currawong-jobs.currawong.svc:9090/metrics',
          format: 'prometheus',
          valueLocation: `currawong_backlog_audio_seconds{duty="${duty}"}`,
          targetValue: target,
          activationTargetValue: '0',
        },
      })),
    );
    expect(named(objects, 'Service', 'currawong-jobs')['spec'].ports).toEqual([
      { name: 'metrics', port: 9090, targetPort: 'metrics', appProtocol: 'http' },
    ]);
  });

  it('go to zero where that is asked for', () => {
    const objects = renderChart([production], { 'workers.cpu.autoscaling.minReplicas': 0 });
    expect(named(objects, 'ScaledObject', 'currawong-worker-cpu')['spec'].minReplicaCount).toBe(0);
  });

  it('can be scaled by what Prometheus knows; no figure is not nought', () => {
    const address = 'http://prometheus.monitoring:9090';
    const objects = renderChart([production], { 'workers.cpu.autoscaling.prometheusAddress': address });
    expect(named(objects, 'ScaledObject', 'currawong-worker-cpu')['spec'].triggers[0]).toEqual({
      type: 'prometheus',
      name: 'speech',
      metadata: {
        serverAddress: address,
        query: 'max(currawong_backlog_audio_seconds{duty="speech",namespace="currawong",service="jobs"})',
        threshold: '600',
        activationThreshold: '0',
        ignoreNullValues: 'false',
      },
    });
  });

  it('with a GPU recognize, and leave the rest to the others; each pool grows with its own work', () => {
    const objects = renderChart([production], withGpu);
    const duties = (component: string) =>
      environmentOf(workload(objects, component).containers[0]!)['WORKER_DUTIES'];
    expect([duties('worker-gpu'), duties('worker-cpu')]).toEqual(['speech', 'audio']);
    const triggers = (name: string): string[] =>
      named(objects, 'ScaledObject', name)['spec'].triggers.map(({ name }: { name: string }) => name);
    expect([triggers('currawong-worker-gpu'), triggers('currawong-worker-cpu')]).toEqual([
      ['speech'],
      ['audio'],
    ]);
  });

  it('with a GPU ask for one, on nodes that have one', () => {
    const { pod, containers } = workload(renderChart([production], withGpu), 'worker-gpu');
    expect(containers[0]).toMatchObject({
      image: 'ghcr.io/currawong/currawong-worker-gpu:0.1.0',
      resources: { limits: { 'nvidia.com/gpu': 1 } },
    });
    expect(pod.tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
    expect(pod.nodeSelector).toEqual({ 'nvidia.com/gpu.present': 'true' });
  });

  it('alone do everything', () => {
    const duties = (sets: object) =>
      environmentOf(workload(renderChart([evaluation], { ...sets }), 'worker-cpu').containers[0]!)[
        'WORKER_DUTIES'
      ];
    expect(duties({})).toBe('speech,audio');
    expect(duties({ 'workers.cpu.duties': ['audio', 'speech'] })).toBe('audio,speech');
  });

  it('cut where the jobs service says, and have scratch room of their own', () => {
    const objects = renderChart([evaluation], { chunkSeconds: 120 });
    const { pod, containers } = workload(objects, 'worker-cpu');
    expect(environmentOf(containers[0]!)).toMatchObject({ CHUNK_SECONDS: '120', SCRATCH_DIR: '/scratch' });
    expect(environmentOf(workload(objects, 'jobs').containers[0]!)['CHUNK_SECONDS']).toBe('120');
    expect(pod.volumes).toContainEqual({ name: 'scratch', emptyDir: { sizeLimit: '3Gi' } });
  });
});

describeWithHelm('services', () => {
  it.each(['gateway', 'jobs', 'billing'])('%s grows with the processor time that it uses', (component) => {
    const objects = renderChart([production]);
    const { spec } = named(objects, 'HorizontalPodAutoscaler', `currawong-${component}`);
    expect(spec.scaleTargetRef).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: `currawong-${component}`,
    });
    expect(spec.minReplicas).toBeGreaterThanOrEqual(2);
    expect(spec.metrics[0].resource).toEqual({
      name: 'cpu',
      target: { type: 'Utilization', averageUtilization: 60 },
    });
  });

  it('that are scaled by something else are not told how many they are', () => {
    const scaled = ['gateway', 'jobs', 'billing', 'worker-cpu'];
    const objects = renderChart([production]);
    for (const component of scaled)
      expect(workload(objects, component).object['spec'].replicas).toBeUndefined();
  });

  it('of an evaluation are as many as it says; it needs no KEDA', () => {
    const objects = renderChart([evaluation]);
    expect([...ofKind(objects, 'ScaledObject'), ...ofKind(objects, 'HorizontalPodAutoscaler')]).toEqual([]);
    const replicas = ['gateway', 'webhooks', 'jobs', 'billing', 'worker-cpu'].map(
      (one) => workload(objects, one).object['spec'].replicas,
    );
    expect(replicas).toEqual([2, 1, 1, 1, 1]);
  });
});
