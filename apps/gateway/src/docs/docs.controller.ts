import { Controller, Get, Header, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../config';
import { versioned } from '../http/versioned';
import { openApiDocument, type OpenApiDocument } from './openapi';
import { docsPage } from './page/page';
import { STYLESHEET } from './page/stylesheet';

/** Nothing but our own stylesheet: the page has no script, no picture and no form. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const AN_HOUR = 'public, max-age=3600';

/** The contract, for programs and for people, from one document. */
@Controller()
export class DocsController {
  private readonly document: OpenApiDocument;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {
    this.document = openApiDocument(config);
  }

  @Get(versioned('openapi.json'))
  // Anybody's page may read it: tools that show such documents run in browsers.
  @Header('Access-Control-Allow-Origin', '*')
  @Header('Cache-Control', AN_HOUR)
  openApi(): OpenApiDocument {
    return this.document;
  }

  @Get('docs')
  page(@Req() request: Request, @Res() response: Response): void {
    response
      .set({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        // The examples name the address that was asked.
        'Cache-Control': 'no-cache',
        Vary: 'Host',
      })
      .send(docsPage(this.document, this.config, this.baseUrlOf(request)));
  }

  @Get('docs/docs.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Cache-Control', AN_HOUR)
  stylesheet(): string {
    return STYLESHEET;
  }

  /** As the reader reached us, so that the examples work as pasted. */
  private baseUrlOf(request: Request): string {
    const address = publicUrl(this.config);
    const { host } = request.headers;
    if (host === undefined || !HOST.test(host) || new URL(address).host === host) return address;
    return `${request.protocol}://${host}`;
  }
}

/** What may stand in an example that somebody pastes into a shell. */
const HOST = /^([a-z0-9]([a-z0-9.-]{0,252})|\[[0-9a-f:]+\])(:\d{1,5})?$/i;
