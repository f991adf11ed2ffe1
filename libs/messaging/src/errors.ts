/** Nobody could answer or store the message: not connected, no responder, or the deadline passed. Worth a 503. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';

  constructor(
    readonly subject: string,
    readonly why: 'disconnected' | 'no_responders' | 'deadline' | 'storage',
    options?: ErrorOptions,
  ) {
    super(`${subject}: ${TEXT[why]}`, options);
  }
}

/** The broker does not know this process's user, so that trying again does not help. The message says what to do. */
export class BrokerRefusal extends Error {
  override readonly name = 'BrokerRefusal';
}

/** The other service's handler broke down or answered with something that the contract does not allow. */
export class RemoteBreakdown extends Error {
  override readonly name = 'RemoteBreakdown';

  constructor(
    readonly subject: string,
    options?: ErrorOptions,
  ) {
    super(`${subject}: the other service failed to answer properly; its log has the reason`, options);
  }
}

/** We tried to send something that its own contract does not allow: a mistake in our code, nothing was sent. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';

  constructor(
    readonly subject: string,
    issues: string,
  ) {
    super(`${subject}: not what the contract allows: ${issues}`);
  }
}

const TEXT = {
  disconnected: 'not connected to the message broker',
  no_responders: 'nobody is listening',
  deadline: 'no answer within the deadline',
  storage: 'the message broker could not store the message',
};
