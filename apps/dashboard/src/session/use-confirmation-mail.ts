import { useState } from 'react';
import { send, type Problem } from '../api/client';

/** Sends the message with the confirming link once more. `sendAgain` tells whether it was sent. */
export function useConfirmationMail() {
  const [state, setState] = useState<'asked' | 'sending' | 'sent'>('asked');
  const [problem, setProblem] = useState<Problem | null>(null);
  const sendAgain = async (): Promise<boolean> => {
    setState('sending');
    const answer = await send('POST', '/email-confirmation');
    setProblem(answer.ok ? null : answer.problem);
    setState(answer.ok ? 'sent' : 'asked');
    return answer.ok;
  };
  return { state, problem, sendAgain };
}
