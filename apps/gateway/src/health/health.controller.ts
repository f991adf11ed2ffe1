import { Controller, Get } from '@nestjs/common';
import { RefusalException } from '../http/refusal.exception';
import { Dependencies } from './dependencies';

@Controller()
export class HealthController {
  constructor(private readonly dependencies: Dependencies) {}

  @Get(['health', 'api/v1/health', 'v1/health'])
  async health() {
    const missing = await this.dependencies.missing();
    if (missing.length === 0) return { status: 'ok' };
    throw RefusalException.of(
      'unavailable',
      `Recordings cannot be accepted now: ${missing.join(', ')} not available.`,
    );
  }

  /** For the kubelet: the process turns its loop. */
  @Get('health/live')
  live() {
    return { status: 'ok' };
  }
}
