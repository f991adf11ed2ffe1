import type { ServiceUnavailable } from '@currawong/messaging';

/** What to do about a question that got no answer. Only where nobody listened is it certain that nothing was done. */
export function sentenceFor({ why }: ServiceUnavailable): string {
  switch (why) {
    case 'no_responders':
      return 'The service that answers this is not running, or not ready. Start the platform with `npm start`, or in a cluster look at `kubectl get pods`, then try again.';
    case 'deadline':
      return 'The service that answers this did not answer in time. It may have done it nevertheless: look before you try again.';
    case 'disconnected':
    case 'storage':
      return 'The connection to the platform was lost. It may have done it nevertheless: look before you try again.';
  }
}
