/**
 * Something that the person at the keyboard has to put right: a missing program, a busy port, a broken
 * setting. The message is one sentence that says what is wrong and how to remedy it; it is printed
 * without a stack.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
