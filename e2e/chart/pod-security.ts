/**
 * What a pod has against the restricted Pod Security Standard of Kubernetes 1.34, rule by rule as
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/ lists them; empty when nothing.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function violationsOfRestricted(pod: any): string[] {
  const found: string[] = [];
  const rule = (holds: boolean, sentence: string) => {
    if (!holds) found.push(sentence);
  };
  const ofPod = pod.securityContext ?? {};
  const containers = [
    ...(pod.initContainers ?? []),
    ...(pod.containers ?? []),
    ...(pod.ephemeralContainers ?? []),
  ];

  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) rule(!pod[field], `${field} is set`);
  rule(!ofPod.windowsOptions?.hostProcess, 'windowsOptions.hostProcess is set');
  rule(isHarmlessSeLinux(ofPod.seLinuxOptions), 'seLinuxOptions of the pod');
  rule(isHarmlessAppArmor(ofPod.appArmorProfile), 'appArmorProfile of the pod');
  for (const { name } of ofPod.sysctls ?? []) rule(SAFE_SYSCTLS.has(name), `sysctl ${name}`);
  for (const { name, ...source } of pod.volumes ?? []) {
    for (const type of Object.keys(source)) rule(VOLUME_TYPES.has(type), `volume ${name} is of type ${type}`);
  }
  rule(ofPod.runAsUser !== 0, 'the pod runs as root');

  for (const container of containers) {
    const own = container.securityContext ?? {};
    const say = (holds: boolean, sentence: string) => rule(holds, `${container.name}: ${sentence}`);
    say(!own.privileged, 'privileged');
    say(own.allowPrivilegeEscalation === false, 'allowPrivilegeEscalation is not false');
    say(own.capabilities?.drop?.includes('ALL') === true, 'does not drop ALL capabilities');
    say(
      (own.capabilities?.add ?? []).every((capability: string) => capability === 'NET_BIND_SERVICE'),
      'adds capabilities',
    );
    say((own.runAsNonRoot ?? ofPod.runAsNonRoot) === true, 'runAsNonRoot is not true');
    say(own.runAsUser !== 0, 'runs as root');
    say(
      ['RuntimeDefault', 'Localhost'].includes((own.seccompProfile ?? ofPod.seccompProfile)?.type),
      'has no seccomp profile',
    );
    say((own.procMount ?? 'Default') === 'Default', 'procMount');
    say(!own.windowsOptions?.hostProcess, 'windowsOptions.hostProcess is set');
    say(isHarmlessSeLinux(own.seLinuxOptions), 'seLinuxOptions');
    say(isHarmlessAppArmor(own.appArmorProfile), 'appArmorProfile');
    for (const port of container.ports ?? []) say(!port.hostPort, `host port ${port.hostPort}`);
    for (const handler of handlersOf(container)) {
      say(!handler?.httpGet?.host && !handler?.tcpSocket?.host, 'a probe or hook names a host');
    }
  }
  return found;
}

const VOLUME_TYPES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const SAFE_SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);

function isHarmlessSeLinux(options: { type?: string; user?: string; role?: string } = {}): boolean {
  const types = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];
  return types.includes(options.type ?? '') && !options.user && !options.role;
}

function isHarmlessAppArmor(profile?: { type?: string }): boolean {
  return profile === undefined || ['RuntimeDefault', 'Localhost'].includes(profile.type ?? '');
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
function handlersOf(container: any) {
  const { startupProbe, livenessProbe, readinessProbe, lifecycle } = container;
  return [startupProbe, livenessProbe, readinessProbe, lifecycle?.postStart, lifecycle?.preStop];
}
