import type { RequestContract, StreamMessageContract } from './define';
import { SERVICES, type ServiceMessages, type ServiceName } from './services';

/** Subjects that one user of the broker may publish and subscribe to; everything else is refused. */
export interface SubjectPermissions {
  publish: { allow: string[] };
  subscribe: { allow: string[] };
}

/** Answers come back under here; each service has a prefix of its own, so that it reads no other's. */
export function inboxPrefix(service: string): string {
  return `_INBOX_${service.replace(/[^A-Za-z0-9_-]/g, '-')}`;
}

/** What each service may do on the broker, from what it says and hears. helm/currawong/files/nats-permissions.json is this. */
export const NATS_PERMISSIONS: Readonly<Record<ServiceName, SubjectPermissions>> = Object.fromEntries(
  Object.entries(SERVICES).map(([name, messages]) => [name, permissionsOf(name as ServiceName, messages)]),
) as Record<ServiceName, SubjectPermissions>;

function permissionsOf(name: ServiceName, messages: ServiceMessages): SubjectPermissions {
  return {
    publish: {
      allow: unique([
        ...messages.asks.map(({ subject }) => subject),
        ...messages.answers.flatMap(inboxesOfAskers),
        ...messages.publishes.map(({ subject }) => subject),
        ...messages.sends.map(({ subject }) => subject),
        ...Object.entries(messages.consumes).flatMap(([durable, contracts]) =>
          consumerCalls(durable, contracts),
        ),
        ...messages.owns.flatMap((stream) =>
          ['INFO', 'CREATE', 'UPDATE'].map((call) => `$JS.API.STREAM.${call}.${stream}`),
        ),
      ]),
    },
    subscribe: {
      allow: unique([
        `${inboxPrefix(name)}.>`,
        ...messages.answers.map(({ subject }) => subject),
        ...messages.hears.map(({ subject }) => subject),
      ]),
    },
  };
}

function inboxesOfAskers(contract: RequestContract): string[] {
  return Object.entries(SERVICES)
    .filter(([, { asks }]) => asks.includes(contract))
    .map(([name]) => `${inboxPrefix(name)}.>`);
}

/** Making the consumer or bringing it up to date, asking for messages, and saying what became of them. */
function consumerCalls(durable: string, contracts: readonly StreamMessageContract[]): string[] {
  return contracts.flatMap(({ stream }) => [
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
    // Servers that know domains put the domain and the account before the stream.
    `$JS.ACK.*.*.${stream}.${durable}.>`,
  ]);
}

function unique(subjects: string[]): string[] {
  return [...new Set(subjects)].sort();
}
