/**
 * What the operator's pod runs between commands: nothing, until it is told to end. As process 1 of a container it would not
 * end from a signal that it does not handle.
 */
const waiting = setInterval(() => undefined, 2 ** 30);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => clearInterval(waiting));

console.log('Ready for commands: kubectl exec deploy/<release>-admin -- currawong-admin');
