import 'reflect-metadata';
import { runService } from '@currawong/messaging';
import { GatewayEnvironment, publicUrl } from './config';
import { GatewayModule } from './gateway.module';
import { Dependencies } from './health/dependencies';
import { configureEdge } from './http/edge';
import { EventStreams } from './jobs/events/event-streams';
import { RequestLimits } from './rate-limits/request-limits';

void runService({
  name: 'gateway',
  environment: GatewayEnvironment,
  module: (context) => GatewayModule.with(context),
  http: {
    port: (config) => config.PORT,
    // Their clients come back by themselves; requests that end are waited for.
    closing: (app) => app.get(EventStreams).endAll(),
    host: (config) => config.HOST,
    configure: (app, { config }) =>
      configureEdge(app, app.get(RequestLimits), {
        trustedProxyHops: config.TRUSTED_PROXY_HOPS,
        publicUrl: publicUrl(config),
      }),
  },
  ready: async (app) => {
    const missing = await app.get(Dependencies).missing();
    return missing.length === 0
      ? { ok: true }
      : { ok: false, detail: `not available: ${missing.join(', ')}` };
  },
}).catch(() => process.exit(1));
