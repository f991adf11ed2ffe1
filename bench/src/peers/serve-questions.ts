import type { PeerAnswer } from './peer-process';

/** The other end of `Peer.ask`: answers one question after the other, and ends with whoever asks. */
export function serveQuestions<Question>(answer: (question: Question) => Promise<unknown>): void {
  process.once('disconnect', () => process.exit());
  process.on('message', (question: Question) => {
    answer(question).then(
      (value) => reply({ value }),
      (error: Error) => reply({ error: error.stack ?? error.message }),
    );
  });
}

function reply(answer: PeerAnswer): void {
  process.send?.(answer);
}
