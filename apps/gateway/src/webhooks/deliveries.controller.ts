import type { Owner, WebhookDeliveryDetail, WebhookDeliveryList } from '@currawong/contracts';
import { WebhookDeliveryStatus } from '@currawong/contracts';
import { Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { Caller, CallerGuard } from '../http/caller';
import { isUuid } from '../http/is-uuid';
import { parse } from '../http/parse';
import { RefusalException } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { ListQuery, unlessEmpty } from '../jobs/list-query';
import { Deliveries } from './deliveries';

/** The query of GET /webhooks/deliveries. */
export const DeliveryQuery = ListQuery.pick({ page: true, page_size: true }).extend({
  status: unlessEmpty(
    z
      .enum(WebhookDeliveryStatus.options, `must be one of ${WebhookDeliveryStatus.options.join(', ')}`)
      .optional(),
  ),
  job_id: unlessEmpty(z.uuid('must be the id of a job').optional()),
});

/** What was told to receivers, and what they answered. */
@Controller(versioned('webhooks/deliveries'))
@UseGuards(CallerGuard)
export class DeliveriesController {
  constructor(private readonly deliveries: Deliveries) {}

  @Get()
  async list(@Caller() caller: Owner, @Query() query: unknown): Promise<WebhookDeliveryList> {
    const wanted = parse(DeliveryQuery, query);
    const { page, page_size } = wanted;
    const { deliveries, total } = await this.deliveries.list(caller, wanted);
    return { deliveries, total, page, page_size, total_pages: Math.ceil(total / page_size) };
  }

  @Get(':id')
  show(@Caller() caller: Owner, @Param('id') id: string): Promise<WebhookDeliveryDetail> {
    return this.found(caller, id);
  }

  /** Answers at once; what becomes of the attempt is in the log. */
  @Post(':id/replay')
  @HttpCode(202)
  async replay(@Caller() caller: Owner, @Param('id') id: string): Promise<WebhookDeliveryDetail> {
    if (!(await this.deliveries.replay(caller, deliveryIdFrom(id))))
      throw RefusalException.of('delivery_not_found');
    return this.found(caller, id);
  }

  private async found(caller: Owner, id: string): Promise<WebhookDeliveryDetail> {
    const delivery = await this.deliveries.show(caller, deliveryIdFrom(id));
    if (!delivery) throw RefusalException.of('delivery_not_found');
    return delivery;
  }
}

/** A malformed id gets the answer of an unknown one. */
function deliveryIdFrom(sent: string): string {
  if (!isUuid(sent)) throw RefusalException.of('delivery_not_found');
  return sent;
}
