import { readFileSync, writeFileSync } from 'node:fs';

// Loaded into each service before its own code. The file that FAULTS_ORDERS names says what is wrong with this process: at
// which crash point it ends, once, and by how many seconds its clock is wrong, from now on.

interface Orders {
  crashAt?: string | undefined;
  clockSkewSeconds?: number | undefined;
}

const path = process.env['FAULTS_ORDERS'];

function orders(): Orders {
  try {
    return path === undefined ? {} : (JSON.parse(readFileSync(path, 'utf8')) as Orders);
  } catch {
    return {};
  }
}

function obeyOnce(): void {
  const { crashAt, ...rest } = orders();
  if (crashAt === undefined || path === undefined) return;
  // The process that is started in its place runs on.
  writeFileSync(path, JSON.stringify(rest));
  process.env['CURRAWONG_CRASH_AT'] = crashAt;
}

let skewMs = 0;

function lookAtClock(): void {
  skewMs = (orders().clockSkewSeconds ?? 0) * 1000;
}

function bendClock(): void {
  const RealDate = Date;
  const now = () => RealDate.now() + skewMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown),
  });
}

obeyOnce();
lookAtClock();
bendClock();
setInterval(lookAtClock, 200).unref();
