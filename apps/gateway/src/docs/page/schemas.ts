import type { JsonSchema } from '../schemas';
import { html, prose, type Html } from './html';

/** The parts of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  contentMediaType?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  required?: string[];
}

/** A link to what is inside opens it. */
export function schemaSection(name: string, schema: JsonSchema): Html {
  const { properties = {}, required = [] } = schema as Schema;
  return html`<details class="schema">
    <summary>${name}</summary>
    <div id="schema-${name}">
      ${fieldTable(
        undefined,
        Object.entries(properties).map(([field, of]) => ({
          name: field,
          type: typeOf(of),
          note: html`${!required.includes(field) && 'may be absent. '}${prose(of.description ?? '')}`,
        })),
      )}
    </div>
  </details>`;
}

export interface Field {
  name: string;
  type: Html;
  note: Html;
}

export function fieldTable(caption: string | undefined, fields: Field[]): Html {
  return html`<table>
    ${
      caption &&
      html`<caption>
        ${caption}
      </caption>`
    }
    <tbody>
      ${fields.map(
        ({ name, type, note }) =>
          html`<tr>
            <th scope="row"><code>${name}</code></th>
            <td><span class="type">${type}</span> ${note}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** In a few words: `integer, 1 to 10 or null`. */
export function typeOf(schema: JsonSchema | Schema): Html {
  const one = schema as Schema;
  if (one.$ref) {
    const name = one.$ref.split('/').at(-1);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (one.anyOf) return joined(one.anyOf.map(typeOf), ' or ');
  if (one.enum)
    return joined(
      one.enum.map((value) => html`<code>${String(value)}</code>`),
      ' · ',
    );
  if (one.const !== undefined) return html`always <code>${JSON.stringify(one.const)}</code>`;
  if (one.items) return html`list of ${typeOf(one.items)}`;
  if (one.additionalProperties) return html`texts by label`;
  if (one.contentMediaType) return html`file`;
  const type = [one.type].flat().filter((name) => name !== undefined);
  return html`${joined(
    type.map((name) => html`${wordOf(name, one)}`),
    ' or ',
  )}${rangeOf(one)}${one.default !== undefined && one.default !== null && html`, ${JSON.stringify(one.default).replaceAll('"', '')} unless given`}`;
}

function wordOf(type: string, { format, pattern }: Schema): string {
  if (type === 'object') return 'object';
  if (type !== 'string') return type;
  if (format === 'date-time') return 'timestamp';
  if (format) return format === 'uri' ? 'address' : format;
  if (pattern?.endsWith('{6}$')) return 'amount as text, six decimals';
  if (pattern?.endsWith('{2}$')) return 'amount as text, two decimals';
  return 'text';
}

function rangeOf({ minimum, maximum, minLength, maxLength }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, ${minimum} or more`;
  if (minLength !== undefined && maxLength !== undefined) return `, ${minLength} to ${maxLength} characters`;
  return maxLength === undefined ? '' : `, at most ${maxLength} characters`;
}

function joined(parts: Html[], separator: string): Html {
  return html`${parts.map((part, index) => html`${index > 0 && separator}${part}`)}`;
}
