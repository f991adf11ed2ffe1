import { TakePaymentEvent, type DoneBody } from '@currawong/contracts';
import { RemoteBreakdown, Requester } from '@currawong/messaging';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { readBytes } from '../http/read-bytes';
import { RefusalException, valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { RequestLimits } from '../rate-limits/request-limits';

/** Real events have a few kilobytes. */
const MAX_EVENT_BYTES = 100_000;
/** A time and at least one signature of the scheme that billing checks; there are two while a secret is replaced. */
const SIGNED = /^(?=(.*,)?t=\d{1,12}(,|$))(?=(.*,)?v1=[0-9a-f]{64}(,|$))/;
const NOT_SIGNED = 'stripe-signature: must be t=…,v1=… as the payment provider signs';

/** What the payment provider tells us. Its signature, which billing checks, is all that it shows for itself. */
@Controller(versioned('payment-events'))
export class PaymentEventsController {
  constructor(
    private readonly requester: Requester,
    private readonly limits: RequestLimits,
  ) {}

  @Post()
  @HttpCode(200)
  async take(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<z.infer<typeof DoneBody>> {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || !SIGNED.test(signature)) {
      await this.limits.countFailure(request, response);
      throw RefusalException.of('invalid_parameter', NOT_SIGNED);
    }
    // Byte for byte: a body that was parsed and written again would not have the same signature.
    const bytes = await readBytes(request, MAX_EVENT_BYTES);
    const taken = await this.requester
      .ask(TakePaymentEvent, { body_base64: bytes.toString('base64'), signature })
      .catch((error: unknown) => {
        // Any 5xx makes the provider repeat the event, which is idempotent.
        throw error instanceof RemoteBreakdown ? RefusalException.of('unavailable', undefined, error) : error;
      });
    // What is signed well is never counted: an event comes through whoever else fails from the same address.
    if (!taken.ok && taken.refusal.code === 'invalid_parameter')
      await this.limits.countFailure(request, response);
    return { status: valueOf(taken).handled ? 'handled' : 'ignored' };
  }
}
