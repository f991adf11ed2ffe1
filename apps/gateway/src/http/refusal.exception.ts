import { ERRORS, refuse, type ErrorCode, type Refusal, type Result } from '@currawong/contracts';
import { HttpException } from '@nestjs/common';

/** A refusal on its way to the client: the one place where a code becomes an HTTP status. */
export class RefusalException extends HttpException {
  /**
   * @param cause what broke, where a breakdown is behind it: for the log alone
   * @param headers what the answer carries besides
   */
  constructor(
    readonly refusal: Refusal,
    cause?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super({ detail: refusal.detail }, ERRORS[refusal.code].status, { cause });
    this.message = `${refusal.code}: ${refusal.detail}`;
  }

  static of(code: ErrorCode, detail?: string, cause?: unknown): RefusalException {
    return new RefusalException(refuse(code, detail).refusal, cause);
  }
}

/** The value of an answer, or the refusal as what the client is told. */
export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new RefusalException(result.refusal);
  return result.value;
}
