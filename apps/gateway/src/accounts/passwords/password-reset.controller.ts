import {
  PasswordReset,
  PasswordResetRequest,
  type DoneBody,
  type PasswordResetBody,
} from '@currawong/contracts';
import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import type { z } from 'zod';
import { clientAddress } from '../../http/client-address';
import { JsonBody } from '../../http/json-body';
import { valueOf } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { AttemptLimits } from '../sign-in/attempt-limits';
import { SameSiteGuard } from '../sign-in/same-site.guard';
import { Passwords } from './passwords';

@Controller(versioned('password-reset'))
@UseGuards(SameSiteGuard)
export class PasswordResetController {
  constructor(
    private readonly passwords: Passwords,
    private readonly limits: AttemptLimits,
  ) {}

  /** The same answer whoever asks, for whatever address. */
  @Post()
  @HttpCode(202)
  async request(
    @JsonBody(PasswordResetRequest) { email }: z.infer<typeof PasswordResetRequest>,
    @Req() request: Request,
  ): Promise<z.infer<typeof DoneBody>> {
    const address = clientAddress(request);
    await this.limits.resetMail(email, address);
    this.passwords.requestReset(email, address);
    return { status: 'sent if there is such an account' };
  }

  @Post('confirm')
  @HttpCode(200)
  async reset(
    @JsonBody(PasswordReset) { token, password }: z.infer<typeof PasswordReset>,
    @Req() request: Request,
  ): Promise<PasswordResetBody> {
    const revoked = valueOf(await this.passwords.reset(token, password, clientAddress(request)));
    return { status: 'changed', revoked_keys: revoked };
  }
}
