/** A part of the installation does not do its work. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';

  /**
   * @param what happened
   * @param remedy where to look, a sentence without its full stop
   */
  constructor(
    what: string,
    readonly remedy: string,
  ) {
    super(what);
  }
}
