import { Outbound } from '@currawong/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { RefusalException } from '../http/refusal.exception';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';

/** Whether an address may be called for a customer, asked before it is kept; it is judged again at every attempt. */
@Injectable()
export class CallbackUrls {
  private readonly outbound: Outbound;

  constructor(@Inject(GATEWAY_CONFIG) config: Pick<GatewayConfig, 'OUTBOUND_ALLOWED_ADDRESSES'>) {
    this.outbound = new Outbound({ allowed: config.OUTBOUND_ALLOWED_ADDRESSES, plainHttp: true });
  }

  /** @returns what is wrong, to follow the name of a field; undefined where nothing is */
  problemWith(url: string): Promise<string | undefined> {
    return this.outbound.problemWith(url);
  }

  /** @throws RefusalException 400 that names the field; none is always fine */
  async require(field: string, url: string | null | undefined): Promise<void> {
    const problem = url ? await this.problemWith(url) : undefined;
    if (problem !== undefined) throw RefusalException.of('invalid_parameter', `${field}: ${problem}`);
  }
}
