import { Controller, Get, Header, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../config';
import { versioned } from '../http/versioned';
import { Languages, type AcceptedLanguages } from '../languages/languages';
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
  private made: { of: string; document: OpenApiDocument } | undefined;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly languages: Languages,
  ) {}

  @Get(versioned('openapi.json'))
  // Anybody's page may read it: tools that show such documents run in browsers.
  @Header('Access-Control-Allow-Origin', '*')
  @Header('Cross-Origin-Resource-Policy', 'cross-origin')
  @Header('Cache-Control', AN_HOUR)
  async openApi(): Promise<OpenApiDocument> {
    return this.documentFor(await this.languages.accepted());
  }

  @Get('docs')
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const accepted = await this.languages.accepted();
    response
      .set({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        // The examples name the address that was asked.
        'Cache-Control': 'no-cache',
        Vary: 'Host',
      })
      .send(docsPage(this.documentFor(accepted), { ...this.config, accepted }, this.baseUrlOf(request)));
  }

  @Get('docs/docs.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', AN_HOUR)
  stylesheet(): string {
    return STYLESHEET;
  }

  /** Made anew when the engines have changed. */
  private documentFor(accepted: AcceptedLanguages): OpenApiDocument {
    const of = JSON.stringify([accepted.languages, accepted.auto]);
    if (this.made?.of !== of) this.made = { of, document: openApiDocument({ ...this.config, accepted }) };
    return this.made.document;
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
