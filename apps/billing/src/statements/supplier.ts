import { writtenAbn } from './abn';

/** Who sells: what a tax invoice must name. With an ABN the supplier counts as registered for GST. */
export class Supplier {
  constructor(
    readonly name: string,
    private readonly abnDigits: string | undefined,
    readonly address: string | undefined,
  ) {}

  get isRegistered(): boolean {
    return this.abnDigits !== undefined;
  }

  get abn(): string | null {
    return this.abnDigits === undefined ? null : writtenAbn(this.abnDigits);
  }
}
