import { ERRORS, type ErrorCode } from '@currawong/contracts';
import { ServiceUnavailable } from '@currawong/messaging';
import { StoreUnavailable } from '@currawong/object-store';
import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RefusalException } from './refusal.exception';
import { methodsOf } from './routes';

interface Answer {
  status: number;
  detail: string;
}

/** Every error leaves as `{"detail"}`. What broke is in the log; the client learns what to do and nothing else. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly log = new Logger(ErrorFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const { status, detail } = this.answerTo(error, request, response);
    // As it is: the logger writes its stack and what caused it.
    if (status >= 500) this.log.error(error instanceof Error ? error : String(error));
    if (response.headersSent || response.destroyed) return;
    if (error instanceof RefusalException) response.set(error.headers);
    response.status(status).json({ detail });
  }

  private answerTo(error: unknown, request: Request, response: Response): Answer {
    if (error instanceof RefusalException) return { status: error.getStatus(), detail: error.refusal.detail };
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

function answer(code: ErrorCode): Answer {
  return { status: ERRORS[code].status, detail: ERRORS[code].text };
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
