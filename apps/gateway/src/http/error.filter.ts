import { ERRORS, type ErrorCode } from '@currawong/contracts';
import { ServiceUnavailable } from '@currawong/messaging';
import { StoreUnavailable } from '@currawong/object-store';
import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { retryAfterSeconds } from '../overload/retry-after';
import { openAiError } from '../openai/error-body';
import { isOpenAiPath } from '../openai/routes';
import { RefusalException } from './refusal.exception';
import { methodsOf } from './routes';

interface Answer {
  status: number;
  detail: string;
  code: ErrorCode;
}

/** Every error leaves as `{"detail"}`, to programs for OpenAI's API with its form beside. What broke is in the log; the client learns what to do and nothing else. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly log = new Logger(ErrorFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const { status, detail, code } = this.answerTo(error, request, response);
    // As it is: the logger writes its stack and what caused it.
    if (status >= 500) this.log.error(error instanceof Error ? error : String(error));
    if (response.headersSent || response.destroyed) return;
    // What cannot be done now can be later: everybody is told when to come back, and not all for the same moment.
    if (isLater(status, error)) response.set('Retry-After', retryAfterSeconds());
    if (error instanceof RefusalException) response.set(error.headers);
    const more = isOpenAiPath(request.path) && { error: openAiError(status, detail, code) };
    response.status(status).json({ detail, ...more });
  }

  private answerTo(error: unknown, request: Request, response: Response): Answer {
    if (error instanceof RefusalException) return { status: error.getStatus(), ...error.refusal };
    // Express and Nest have texts of their own, which name what they are made of.
    if (error instanceof HttpException) return this.answerOfFramework(error.getStatus(), request, response);
    if (error instanceof ServiceUnavailable || error instanceof StoreUnavailable)
      return answer('unavailable');
    return answer('internal');
  }

  private answerOfFramework(status: number, request: Request, response: Response): Answer {
    if (!isDecodable(request.path)) return answer('not_found');
    if (status === 404) return this.unknownRoute(request, response);
    return answer(status < 500 ? 'malformed_request' : 'internal');
  }

  private unknownRoute(request: Request, response: Response): Answer {
    const allowed = methodsOf(request);
    if (allowed.length === 0) return answer('not_found');
    response.setHeader('Allow', allowed.join(', '));
    return answer('method_not_allowed');
  }
}

function isLater(status: number, error: unknown): boolean {
  if (status !== 503 && status !== 429) return false;
  return !(error instanceof RefusalException) || ERRORS[error.refusal.code].retryable;
}

function answer(code: ErrorCode): Answer {
  return { status: ERRORS[code].status, detail: ERRORS[code].text, code };
}

/** A path with a malformed percent escape names nothing of ours. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
