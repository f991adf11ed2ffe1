import { STATUS_CODES } from 'node:http';
import type { OpenApiDocument, OperationObject, ResponseObject } from '../openapi';
import { JOB_OPERATIONS } from '../operations/jobs';
import { curlOf } from './curl';
import { code } from './guide';
import { breakable, html, prose, type Html } from './html';
import { fieldTable, typeOf, type Schema } from './schemas';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export interface PlacedOperation {
  method: (typeof METHODS)[number];
  path: string;
  servers: string[];
  operation: OperationObject;
}

/** Those of a tag, in the document's order, which for jobs is that of their list: nothing is asked about a job after it is deleted. */
export function operationsOf(document: OpenApiDocument, tag: string): PlacedOperation[] {
  const placed = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const servers = (item.servers ?? document.servers).map(({ url }) => url);
      return operation?.tags.includes(tag) ? [{ method, path, servers, operation }] : [];
    }),
  );
  const place = ({ operation }: PlacedOperation) =>
    JOB_OPERATIONS.findIndex(({ id }) => id === operation.operationId);
  return placed.sort((one, other) => place(one) - place(other));
}

export function operationSection(placed: PlacedOperation, baseUrl: string): Html {
  const { method, path, servers, operation } = placed;
  const curl = curlOf(placed, baseUrl);
  const answers = Object.entries(operation.responses);
  return html`<article id="${operation.operationId}" class="operation">
    <h3>
      <a class="anchor" href="#${operation.operationId}">${operation.summary}</a>
    </h3>
    <p class="route">
      <b class="verb ${method}">${method}</b>
      <code>${breakable(path)}</code>
      <span class="access">${accessOf(operation)}</span>
    </p>
    ${operation.description && html`<p>${prose(operation.description)}</p>`}
    ${
      servers.includes('/') &&
      html`<p class="note">
        Without a version${servers.length > 1 && html`, and also under <code>${servers[1]}</code>`}.
      </p>`
    }
    ${curl && code(curl)} ${parameterTable(operation)} ${bodyTable(operation)}
    <div class="answers">
      ${answers
        .filter(([status]) => Number(status) < 400)
        .map(([status, answer]) => successAnswer(status, answer))}
      ${refusals(answers.filter(([status]) => Number(status) >= 400))}
    </div>
  </article>`;
}

function accessOf({ security }: OperationObject): string {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  if (schemes.length === 0) return 'open to anyone';
  if (schemes.includes('apiKey')) return 'API key';
  return schemes.includes('session') ? 'signed in on the dashboard' : 'payment provider';
}

function parameterTable({ parameters = [] }: OperationObject): Html | undefined {
  if (parameters.length === 0) return undefined;
  return fieldTable(
    'Parameters',
    parameters.map(({ name, in: place, required, description, schema }) => ({
      name,
      type: typeOf(schema),
      note: html`${place !== 'query' && `${place === 'path' ? 'in the path' : 'header'}${required ? ', required' : ''}. `}${prose(description)}`,
    })),
  );
}

function bodyTable({ requestBody }: OperationObject): Html | undefined {
  const [mediaType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!mediaType || !media) return undefined;
  const schema = media.schema as Schema;
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return undefined;
  return fieldTable(
    `Body, ${mediaType}`,
    fields.map(([name, field]) => ({
      name,
      type: typeOf(field),
      note: html`${schema.required?.includes(name) && 'required. '}${prose(field.description ?? '')}`,
    })),
  );
}

function successAnswer(status: string, { description, content = {} }: ResponseObject): Html {
  const types = Object.entries(content);
  const example = types.find(([, media]) => media.example !== undefined)?.[1].example;
  const name = types.map(([, media]) => referenceOf(media.schema)).find(Boolean);
  const others = types.length > 1 || (types[0] && types[0][0] !== 'application/json');
  return html`<div class="answer">
    <p>
      <b class="status good">${status}</b> ${prose(description)}
      ${name && html`<a href="#schema-${name}">${name}</a>`}
      ${others && html`<span class="types">${types.map(([type]) => html`<code>${type}</code> `)}</span>`}
    </p>
    ${
      example !== undefined &&
      html`<details>
        <summary>Example</summary>
        ${code(JSON.stringify(example, null, 2), 'json')}
      </details>`
    }
  </div>`;
}

function referenceOf(schema: Record<string, unknown> | undefined): string | undefined {
  const reference = schema?.['$ref'];
  return typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
}

function refusals(answers: [string, ResponseObject][]): Html {
  return html`<details class="refusals">
    <summary>Refusals ${answers.map(([status]) => html`<b class="status bad">${status}</b> `)}</summary>
    <dl>
      ${answers.map(([status, { content }]) => {
        const examples = Object.values(content?.['application/json']?.examples ?? {});
        return html`<dt><b class="status bad">${status}</b> ${STATUS_CODES[status]}</dt>
          <dd>
            <ul>
              ${examples.map(({ value }) => html`<li>${(value as { detail: string }).detail}</li>`)}
            </ul>
          </dd>`;
      })}
    </dl>
  </details>`;
}
