import { type DocumentedConfig, type OpenApiDocument } from '../openapi';
import { guide, type GuidedConfig } from './guide';
import { breakable, html, type Html } from './html';
import { operationSection, operationsOf } from './operations';
import { schemaSection } from './schemas';

export type PageConfig = GuidedConfig & Pick<DocumentedConfig, 'accepted'>;

/** The whole page as HTML. */
export function docsPage(document: OpenApiDocument, config: PageConfig, baseUrl: string): string {
  const sections = guide(config, baseUrl);
  const tags = document.tags.map((tag) => ({
    ...tag,
    anchor: anchorOf(tag.name),
    operations: operationsOf(document, tag.name),
  }));
  const schemas = Object.entries(document.components['schemas'] ?? {});
  const contents = html`<p class="group">Guide</p>
    <ul>
      ${sections.map(({ anchor, title }) => link(anchor, title))}
    </ul>
    ${tags.map(
      (tag) =>
        html`<p class="group">${tag.name}</p>
          <ul>
            ${tag.operations.map(
              ({ operation, method, path }) =>
                html`<li>
                  <a href="#${operation.operationId}"
                    ><b class="verb ${method}">${method === 'delete' ? 'del' : method}</b>
                    <span>${breakable(path)}</span></a
                  >
                </li>`,
            )}
          </ul>`,
    )}
    <p class="group">Reference</p>
    <ul>
      ${link('schemas', 'Schemas')}
    </ul>`;
  return html`<!doctype html>
    <html lang="en-AU">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Currawong API</title>
        <link rel="stylesheet" href="/docs/docs.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <a class="brand" href="#content">Currawong <span>API</span></a>
          <nav aria-label="Elsewhere">
            <a href="/api/v1/openapi.json">OpenAPI 3.1</a>
            <a href="/dashboard/">Dashboard</a>
          </nav>
        </header>
        <div class="frame">
          <nav class="contents" aria-label="Contents">${contents}</nav>
          <details class="contents">
            <summary>Contents</summary>
            ${contents}
          </details>
          <main id="content">
            <section class="intro">
              <h1>Recordings in, text out</h1>
              <p class="lead">
                ${document.info.description.split('. ')[0]}. Audio and results stay in Australia.
              </p>
              <dl class="facts">
                <div>
                  <dt>Base address</dt>
                  <dd><code>${baseUrl}/api/v1</code></dd>
                </div>
                <div>
                  <dt>Key</dt>
                  <dd><code>X-API-Key</code></dd>
                </div>
                <div>
                  <dt>Languages</dt>
                  <dd>${config.accepted.languages.join(', ')}</dd>
                </div>
              </dl>
            </section>
            ${sections.map(
              ({ anchor, title, body }) =>
                html`<section id="${anchor}" class="guide">
                  <h2>${anchored(anchor, title)}</h2>
                  ${body}
                </section>`,
            )}
            ${tags.map(
              (tag) =>
                html`<section class="tag" id="${tag.anchor}">
                  <h2>${anchored(tag.anchor, tag.name)}</h2>
                  <p>${tag.description}</p>
                  ${tag.operations.map((one) => operationSection(one, baseUrl))}
                </section>`,
            )}
            <section id="schemas">
              <h2>${anchored('schemas', 'Schemas')}</h2>
              <p>What the answers are made of. New fields may be added: ignore those that you do not know.</p>
              ${schemas.map(([name, schema]) => schemaSection(name, schema))}
            </section>
          </main>
        </div>
      </body>
    </html>`.text;
}

function link(anchor: string, title: string): Html {
  return html`<li><a href="#${anchor}">${title}</a></li>`;
}

function anchored(anchor: string, title: string): Html {
  return html`<a class="anchor" href="#${anchor}">${title}</a>`;
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
