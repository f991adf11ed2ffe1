import { clientNamespace, kubectlJson, kubectlOutcome, namespace, type Pod } from './cluster';

/** What whoever has to find out would ask for first: pods, events, and the last words of every pod that is not well. */
export async function diagnosis(): Promise<string> {
  const parts = [
    await said('pods', ['get', 'pods', '--output=wide']),
    await said('pods of the clients', ['--namespace', clientNamespace, 'get', 'pods']),
    await said('events', ['get', 'events', '--sort-by=.lastTimestamp'], 25),
  ];
  const pods = await kubectlJson<{ items: Pod[] }>(['get', 'pods']).catch(() => ({ items: [] }));
  for (const { metadata, status } of pods.items) {
    const restarts = status.containerStatuses?.some(({ restartCount }) => restartCount > 0);
    const well = status.containerStatuses?.every(({ ready }) => ready) || status.phase === 'Succeeded';
    if (well && !restarts) continue;
    parts.push(await said(`${metadata.name}`, ['logs', metadata.name, '--all-containers', '--tail=15'], 15));
    if (restarts) {
      parts.push(
        await said(`${metadata.name}, before`, ['logs', metadata.name, '--previous', '--tail=10'], 10),
      );
    }
  }
  return parts.join('\n');
}

async function said(title: string, args: readonly string[], lines = 60): Promise<string> {
  const { stdout, stderr } = await kubectlOutcome(args, { timeoutSeconds: 20 }).catch((error: Error) => ({
    stdout: '',
    stderr: error.message,
  }));
  const text = `${stdout}${stderr}`.trimEnd().split('\n').slice(-lines);
  return `── ${title} (${namespace})\n${text.map((line) => line.slice(0, 400)).join('\n')}\n`;
}
