import { TakePaymentEvent, type DoneBody } from '@currawong/contracts';
import { RemoteBreakdown, Requester } from '@currawong/messaging';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { z } from 'zod';
import { readBytes } from '../http/read-bytes';
import { RefusalException, valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';

/** As base64 it has to fit into one message of the broker, which takes 1 MB. Real events have a few kilobytes. */
const MAX_EVENT_BYTES = 700_000;

/** What the payment provider tells us. Its signature, which billing checks, is all that it shows for itself. */
@Controller(versioned('payment-events'))
export class PaymentEventsController {
  constructor(private readonly requester: Requester) {}

  @Post()
  @HttpCode(200)
  async take(@Req() request: Request): Promise<z.infer<typeof DoneBody>> {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || signature === '')
      throw RefusalException.of('invalid_parameter', 'stripe-signature: the header is missing');
    // Byte for byte: a body that was parsed and written again would not have the same signature.
    const bytes = await readBytes(request, MAX_EVENT_BYTES);
    const taken = await this.requester
      .ask(TakePaymentEvent, { body_base64: bytes.toString('base64'), signature })
      .catch((error: unknown) => {
        // Any 5xx makes the provider repeat the event, which is idempotent.
        throw error instanceof RemoteBreakdown ? RefusalException.of('unavailable', undefined, error) : error;
      });
    return { status: valueOf(taken).handled ? 'handled' : 'ignored' };
  }
}
