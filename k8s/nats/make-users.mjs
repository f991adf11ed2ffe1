#!/usr/bin/env node
/**
 * Makes an NKEY user of NATS for each service, with the permissions of helm/currawong/files/nats-permissions.json.
 *
 *   node k8s/nats/make-users.mjs                      two Secrets as YAML, for `kubectl apply -f -`
 *   node k8s/nats/make-users.mjs --json               {"seeds": {…}, "server": {…}}, for a secret manager
 *   … --seeds FILE                                    with the seeds of FILE ({"gateway": "SU…", …}) where it has them:
 *                                                     the way to bring changed permissions to the servers
 *   … --namespace currawong --server-namespace currawong-data
 *
 * A seed is the secret half and goes to its service alone. The servers are told the public halves: whoever reads their
 * configuration can sign in as nobody.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createUser, fromSeed } from '@nats-io/nkeys';

try {
  process.stdout.write(main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function main(words) {
  const { values } = parseArgs({
    args: words,
    options: {
      json: { type: 'boolean', default: false },
      seeds: { type: 'string' },
      namespace: { type: 'string', default: 'currawong' },
      'server-namespace': { type: 'string', default: 'currawong-data' },
    },
  });
  const permissions = readJson(new URL('../../helm/currawong/files/nats-permissions.json', import.meta.url));
  const given = values.seeds === undefined ? {} : readJson(values.seeds);
  const seeds = Object.fromEntries(
    Object.keys(permissions).map((service) => [service, given[service] ?? newSeed()]),
  );
  const server = { 'authorization.conf': authorization(seeds, permissions) };
  if (values.json) return `${JSON.stringify({ seeds, server }, null, 2)}\n`;
  return [
    secret('currawong-nats', values.namespace, seeds),
    secret('nats-server', values['server-namespace'], server),
  ].join('---\n');
}

function newSeed() {
  return new TextDecoder().decode(createUser().getSeed());
}

/** The block of the servers' configuration that says who may publish and subscribe to what. */
function authorization(seeds, permissions) {
  const users = Object.entries(permissions).map(([service, { publish, subscribe }]) =>
    [
      `    # ${service}`,
      `    { nkey: ${publicKey(service, seeds[service])}, permissions: {`,
      `        publish: { allow: ${JSON.stringify(publish.allow)} }`,
      `        subscribe: { allow: ${JSON.stringify(subscribe.allow)} }`,
      '    } }',
    ].join('\n'),
  );
  return `authorization {\n  users = [\n${users.join('\n')}\n  ]\n}\n`;
}

function publicKey(service, seed) {
  try {
    if (seed.startsWith('SU')) return fromSeed(new TextEncoder().encode(seed)).getPublicKey();
  } catch {
    // Said below, for every way in which it can be wrong.
  }
  throw new Error(
    `The seed of ${service} is not that of a NATS user (SU…): take it out of the file to make a new one.`,
  );
}

/** JSON is YAML: nothing in a value can break out of it. */
function secret(name, namespace, stringData) {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData };
  return `${JSON.stringify(object, null, 2)}\n`;
}

function readJson(path) {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
}
