// Writes the table of values in README.md from values.yaml and values.schema.json: node helm/currawong/update-readme.mjs
// With --check it writes nothing and ends with 1 when the table is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const folder = import.meta.dirname;
const read = (name) => readFileSync(join(folder, name), 'utf8');
const schema = JSON.parse(read('values.schema.json'));

const before = read('README.md');
const [start, end] = ['<!-- values -->\n', '<!-- /values -->'];
const [head, rest] = before.split(start);
const after = `${head}${start}${sections().join('\n')}${end}${rest.split(end)[1]}`;
if (process.argv.includes('--check')) {
  if (before === after) process.exit(0);
  console.error('The values in README.md are out of date: node helm/currawong/update-readme.mjs');
  process.exit(1);
}
writeFileSync(join(folder, 'README.md'), after);

/** One table for what stands alone, then one for each group of values. */
function sections() {
  const groups = Object.entries(parse(read('values.yaml'))).map(([name, value]) => ({
    name,
    description: describedBy(name).description,
    rows: rowsOf(name, value, describedBy(name)),
  }));
  const alone = groups.filter(({ name, rows }) => rows.length === 1 && rows[0].path === name);
  const table = (rows) => [
    '| value | default | what |',
    '|---|---|---|',
    ...rows.map(({ path, value, what }) => `| \`${path}\` | ${cell(value)} | ${escape(what)} |`),
    '',
  ];
  return [
    ...table(alone.flatMap(({ rows }) => rows)),
    ...groups
      .filter((group) => !alone.includes(group))
      .flatMap(({ name, description, rows }) => [`### ${name}`, '', escape(description), '', ...table(rows)]),
  ];
}

function describedBy(name) {
  const described = schema.properties[name];
  if (!described) throw new Error(`values.schema.json does not know ${name}.`);
  return described;
}

/** Every value that has no described parts, with its path. */
function rowsOf(path, value, { description, properties }) {
  // The settings of a service are described in docs/settings.md.
  if (!properties || path.endsWith('.settings')) return [{ path, value, what: description }];
  const undescribed = Object.keys(value).filter((key) => !properties[key]);
  const unset = Object.keys(properties).filter((key) => !(key in value));
  if (undescribed.length + unset.length > 0)
    throw new Error(
      `values.yaml and values.schema.json differ at ${path}: ${[...undescribed, ...unset].join(', ')}`,
    );
  return Object.keys(value).flatMap((key) => rowsOf(`${path}.${key}`, value[key], properties[key]));
}

function cell(value) {
  if (value === '' || value === null) return '';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function escape(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ');
}
