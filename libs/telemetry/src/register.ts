/** `node --require @currawong/telemetry/register main.js`: tracing starts before the application loads its libraries. */
import { startTracing } from './tracing';

startTracing();
