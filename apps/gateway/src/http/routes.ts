import type { Request } from 'express';

/** The parts of Express 5's router that this reads. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods that some route answers at this path; empty where the path is not ours at all. */
export function methodsOf(request: Request): string[] {
  const { stack } = (request.app as unknown as { router: { stack: Layer[] } }).router;
  const methods = stack
    .filter((layer) => layer.route && layer.match(request.path))
    .flatMap((layer) => Object.keys(layer.route!.methods))
    .map((method) => method.toUpperCase());
  return [...new Set(methods)];
}
