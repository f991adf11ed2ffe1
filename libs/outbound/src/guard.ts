import { isIP } from 'node:net';
import { isIn, isPublic, type AddressRange } from './addresses';
import { OutboundError } from './errors';
import { UnknownName, type Lookup } from './lookup';
import { hostOf, NOT_HTTPS, NOT_PUBLIC } from './target';

const UNKNOWN_NAME = 'its host name does not exist';

/**
 * Which addresses may be called: public ones, and those that the operator allows. http:// is for the latter alone, who are
 * on a network that the operator knows.
 */
export class Guard {
  constructor(
    private readonly allowed: readonly AddressRange[],
    private readonly lookup: Lookup,
    private readonly plainHttp: boolean,
  ) {}

  /**
   * The addresses that a connection may be made to: all that the name has, or none where one of them is refused, because
   * which of them a connection takes is not for whoever owns the name to play with.
   * @throws OutboundError `refused`, `unknown_name` or, where no answer came, `unreachable`
   */
  async addressesOf(url: URL): Promise<string[]> {
    const addresses = await this.resolve(hostOf(url));
    if (addresses.length === 0) throw new OutboundError('unknown_name', UNKNOWN_NAME);
    for (const address of addresses) this.admit(url, address);
    return addresses;
  }

  /** @throws OutboundError `refused` */
  admit(url: URL, address: string): void {
    const isAllowed = isIn(this.allowed, address);
    if (url.protocol !== 'https:' && !(this.plainHttp && isAllowed))
      throw new OutboundError('refused', NOT_HTTPS);
    if (!isAllowed && !isPublic(address)) throw new OutboundError('refused', NOT_PUBLIC);
  }

  private async resolve(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return [host];
    try {
      return [...(await this.lookup(host))];
    } catch (error) {
      if (error instanceof UnknownName) throw new OutboundError('unknown_name', UNKNOWN_NAME, error);
      throw new OutboundError('unreachable', 'its host name could not be looked up', error);
    }
  }
}
