// A real OpenID provider, in a process of its own. It begins to answer when it is told who its client is, and signs in
// whoever it is told sits at the browser, without asking them.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const server = createServer((request, response) => void handle(request, response));
let issuer = '';
let provider;
/** Claims by subject. */
const people = new Map();
let atTheBrowser = '';
let refuses = false;

server.listen(0, '127.0.0.1', () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${issuer}\n`);
});

async function handle(request, response) {
  const { pathname } = new URL(request.url, issuer);
  if (pathname === '/control') return control(request, response);
  if (!provider) return response.writeHead(503).end();
  if (pathname.startsWith('/interaction/')) return signIn(request, response);
  return provider.callback()(request, response);
}

async function control(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const wish = JSON.parse(Buffer.concat(chunks).toString());
  if ('client' in wish) provider = wish.client && makeProvider(wish.client);
  if (wish.person) {
    people.set(wish.person.sub, wish.person);
    atTheBrowser = wish.person.sub;
  }
  refuses = wish.refuses ?? false;
  response.writeHead(204).end();
}

function makeProvider(client) {
  return new Provider(issuer, {
    clients: [{ ...client, grant_types: ['authorization_code'], response_types: ['code'] }],
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => people.get(sub) }),
    async loadExistingGrant(context) {
      const grant = new context.oidc.provider.Grant({
        clientId: context.oidc.client.clientId,
        accountId: context.oidc.session.accountId,
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
}

async function signIn(request, response) {
  const result = refuses ? { error: 'access_denied' } : { login: { accountId: atTheBrowser } };
  await provider.interactionFinished(request, response, result);
}
