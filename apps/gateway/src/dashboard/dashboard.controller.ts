import { Controller, Get, Inject, Req, Res, type OnModuleInit } from '@nestjs/common';
import type { Request, Response } from 'express';
import { join } from 'node:path';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../config';
import { RefusalException } from '../http/refusal.exception';
import { type Build, type BuildFile, type Encoding, readBuild } from './build';
import { cacheControl, pageHeaders } from './headers';
import { pageFor } from './page';

const PAGE = 'index.html';
const BESIDE_THE_GATEWAY = join(__dirname, '..', '..', '..', 'dashboard', 'dist');
const MISSING =
  'The dashboard is not part of this installation: build it, then try again. The API works without it.';

/** The web page. Its files are public: what is private in it comes through the API. */
@Controller()
export class DashboardController implements OnModuleInit {
  private readonly headers: Record<string, string>;
  private build: Build | undefined;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {
    this.headers = pageHeaders(publicUrl(config));
  }

  /** An installation without the dashboard starts and serves the API all the same. */
  async onModuleInit(): Promise<void> {
    await this.read();
  }

  /** Whoever types the address into a browser comes to the page; for programs there is nothing here. */
  @Get()
  home(@Req() request: Request, @Res() response: Response): void {
    response.vary('Accept');
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) throw RefusalException.of('not_found');
    response.redirect(302, '/dashboard/');
  }

  @Get(['dashboard', 'dashboard/*path'])
  async file(@Req() request: Request, @Res() response: Response): Promise<void> {
    const build = this.build ?? (await this.read());
    if (!build) throw RefusalException.of('unavailable', MISSING);
    const file = fileAt(build, pathBelow(request.path));
    if (!file) throw RefusalException.of('not_found');
    this.send(file, request, response);
  }

  private async read(): Promise<Build | undefined> {
    const build = await readBuild(this.config.DASHBOARD_DIR ?? BESIDE_THE_GATEWAY);
    if (!build) return undefined;
    const { MAX_FILE_BYTES: maxFileBytes } = this.config;
    const page = await pageFor(build.get(PAGE)!, { maxFileBytes });
    return (this.build = new Map([...build, [PAGE, page]]));
  }

  private send(file: BuildFile, request: Request, response: Response): void {
    const encoding = encodingFor(file, request);
    const etag = `"${file.digest}${encoding ? `-${encoding}` : ''}"`;
    response.set({
      ...this.headers,
      'Cache-Control': cacheControl(file),
      'Content-Type': file.contentType,
      ETag: etag,
      Vary: 'Accept-Encoding',
    });
    if (request.headers['if-none-match'] === etag) {
      response.status(304).end();
      return;
    }
    if (encoding) response.set('Content-Encoding', encoding);
    const body = encoding ? file.encoded[encoding]! : file.body;
    response.set('Content-Length', String(body.length));
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

function pathBelow(path: string): string {
  return path.replace(/^\/dashboard\/?/i, '');
}

/** The page at every address of its own; what looks like a file is there or not. */
function fileAt(build: Build, path: string): BuildFile | undefined {
  return (
    build.get(path) ?? (/\.[^/]*$/.test(path) || path.startsWith('assets/') ? undefined : build.get(PAGE))
  );
}

function encodingFor(file: BuildFile, request: Request): Encoding | undefined {
  const encodings: Encoding[] = ['br', 'gzip'];
  return encodings.find((encoding) => file.encoded[encoding] && request.acceptsEncodings(encoding));
}
