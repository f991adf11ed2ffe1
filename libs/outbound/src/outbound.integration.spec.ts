import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { parseRange } from './addresses';
import { OutboundError } from './errors';
import { UnknownName, type Lookup } from './lookup';
import { Outbound, type OutboundRequest } from './outbound';

const HERE = [parseRange('127.0.0.1')];
const LIMITS = { seconds: 2, maxBytes: 1_000 };

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A receiver on this machine, and what reached it. */
async function receiver(
  answer: RequestListener,
): Promise<{ port: number; requests: IncomingMessage[]; server: Server }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => (server.closeAllConnections(), server.close()) });
  return { port: (server.address() as AddressInfo).port, requests, server };
}

async function rawReceiver(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => (sockets.forEach((socket) => socket.destroy()), server.close()) });
  return (server.address() as AddressInfo).port;
}

function outbound(answers: Record<string, string[]> | Lookup = {}, allowed = HERE): Outbound {
  const lookup: Lookup =
    typeof answers === 'function'
      ? answers
      : async (name) => {
          if (!answers[name]) throw new UnknownName(name);
          return answers[name];
        };
  return new Outbound({ allowed, plainHttp: true, lookup });
}

async function failureOf(call: Promise<unknown>): Promise<OutboundError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OutboundError)) throw new Error(`not an OutboundError: ${String(error)}`);
  return error;
}

const get = (url: string): OutboundRequest => ({ url, method: 'GET' });

describe('a call', () => {
  it('reaches an address that is allowed, with the name in Host, and gives back what was answered', async () => {
    const { port, requests } = await receiver((_request, response) =>
      response.writeHead(418, { 'retry-after': '7' }).end('short and stout'),
    );
    const url = `http://receiver.example:${port}/hook?x=1`;
    const answer = await outbound({ 'receiver.example': ['127.0.0.1'] }).call(
      { url, method: 'POST', headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') },
      LIMITS,
    );
    expect([answer.status, answer.headers['retry-after'], answer.body.toString()]).toEqual([
      418,
      '7',
      'short and stout',
    ]);
    expect([requests[0]?.url, requests[0]?.headers.host]).toEqual(['/hook?x=1', `receiver.example:${port}`]);
  });

  it.each([
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'https://127.0.0.1:PORT/',
    'http://rebound.example:PORT/',
    'https://rebound.example:PORT/',
    'http://localhost:PORT/',
    'http://localhost.:PORT/',
  ])('to %s makes no connection where that is not allowed', async (template) => {
    let connections = 0;
    const port = await rawReceiver(() => connections++);
    const names = { 'rebound.example': ['127.0.0.1'], localhost: ['127.0.0.1', '::1'] };
    const failed = await failureOf(
      outbound(names, []).call(get(template.replace('PORT', String(port))), LIMITS),
    );
    expect(failed.failure).toBe('refused');
    expect(connections).toBe(0);
  });

  it('to a name that has one private address among public ones is refused', async () => {
    for (const addresses of [
      ['93.184.215.14', '127.0.0.1'],
      ['10.0.0.1', '93.184.215.14'],
      ['93.184.215.14', '::ffff:169.254.169.254'],
    ]) {
      const failed = await failureOf(
        outbound({ 'mixed.example': addresses }, []).call(get('https://mixed.example/'), LIMITS),
      );
      expect(failed).toMatchObject({
        failure: 'refused',
        message: 'must lead to a public address on the internet',
      });
    }
  });

  it('judges the very answer that it connects to: a name that answers differently the second time gains nothing', async () => {
    let connections = 0;
    const port = await rawReceiver(() => connections++);
    let asked = 0;
    // Public at first, this machine from then on.
    const rebinding: Lookup = async () => (asked++ === 0 ? ['93.184.215.14'] : ['127.0.0.1']);
    const calls = outbound(rebinding, []);
    const url = `https://rebinding.example:${port}/`;
    expect(await calls.problemWith(url)).toBeUndefined();
    expect(asked).toBe(1);
    const failed = await failureOf(calls.call(get(url), LIMITS));
    expect([failed.failure, asked, connections]).toEqual(['refused', 2, 0]);
  });

  it('asks for the name once, so that there is no second answer between judgement and connection', async () => {
    const { port, requests } = await receiver((_request, response) => response.end('ok'));
    let asked = 0;
    const lookup: Lookup = async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']);
    await outbound(lookup).call(get(`http://receiver.example:${port}/`), LIMITS);
    expect([asked, requests.length]).toEqual([1, 1]);
  });

  it('follows no redirect', async () => {
    const target = await receiver((_request, response) => response.end('secret'));
    const { port } = await receiver((_request, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${target.port}/` }).end(),
    );
    const answer = await outbound().call(get(`http://127.0.0.1:${port}/`), LIMITS);
    expect([answer.status, target.requests.length]).toEqual([307, 0]);
  });

  it('is over when its time is: no answer, no headers, a body byte by byte, a lookup that hangs', async () => {
    const silent = await rawReceiver(() => undefined);
    const trickle = await receiver((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const hangs: Lookup = () => new Promise(() => undefined);
    const started = performance.now();
    const failures = await Promise.all([
      failureOf(outbound().call(get(`http://127.0.0.1:${silent}/`), { ...LIMITS, seconds: 0.5 })),
      failureOf(outbound().call(get(`http://127.0.0.1:${trickle.port}/`), { ...LIMITS, seconds: 0.5 })),
      failureOf(outbound(hangs).call(get('https://hangs.example/'), { ...LIMITS, seconds: 0.5 })),
    ]);
    expect(failures.map(({ failure }) => failure)).toEqual(['timed_out', 'timed_out', 'timed_out']);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it('reads no more of the answer than it is allowed, and hangs up', async () => {
    let hungUp: Promise<void> | undefined;
    const { port } = await receiver((_request, response) => {
      hungUp = new Promise((resolve) => response.on('close', () => resolve()));
      const more = () => {
        while (response.write(Buffer.alloc(65_536, 'x')));
        response.once('drain', more);
      };
      more();
    });
    const answer = await outbound().call(get(`http://127.0.0.1:${port}/`), LIMITS);
    expect(answer.body.length).toBe(1_000);
    await hungUp;
  });

  it('says in words why nothing was answered', async () => {
    const closed = await rawReceiver((socket) => socket.destroy());
    const early = await rawReceiver((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart'),
    );
    const noise = await rawReceiver((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const long = await rawReceiver((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
    );
    const gone = await receiver(() => undefined);
    gone.server.close();
    const failures = [];
    for (const port of [closed, early, noise, long, gone.port])
      failures.push(await failureOf(outbound().call(get(`http://127.0.0.1:${port}/`), LIMITS)));
    failures.push(await failureOf(outbound().call(get('https://unknown.example/'), LIMITS)));
    expect(failures.map(({ failure, message }) => [failure, message])).toEqual([
      ['unreachable', 'it closed the connection'],
      ['unreachable', 'it closed the connection'],
      ['unreachable', 'its answer is not HTTP'],
      ['too_large', 'the headers of its answer are too long'],
      ['unreachable', 'it refused the connection'],
      ['unknown_name', 'its host name does not exist'],
    ]);
  });

  it('of https checks the certificate', async () => {
    const port = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const failed = await failureOf(outbound().call(get(`https://127.0.0.1:${port}/`), LIMITS));
    expect(failed.failure).toBe('unreachable');
  });

  it('ends with the caller’s signal', async () => {
    const port = await rawReceiver(() => undefined);
    const giveUp = new AbortController();
    setTimeout(() => giveUp.abort(), 50);
    const call = outbound().call({ ...get(`http://127.0.0.1:${port}/`), signal: giveUp.signal }, LIMITS);
    expect((await failureOf(call)).failure).toBe('aborted');
  });
});

describe('an open answer', () => {
  const limits = { answerSeconds: 0.5, idleSeconds: 0.5, seconds: 2, maxBytes: 1_000_000 };

  async function read(body: AsyncIterable<Buffer>): Promise<number> {
    let length = 0;
    for await (const part of body) length += part.length;
    return length;
  }

  it('is handed on as it comes', async () => {
    const { port } = await receiver((_request, response) => response.end(Buffer.alloc(900_000)));
    const answer = await outbound().open(get(`http://127.0.0.1:${port}/`), limits);
    expect([answer.status, answer.headers['content-length'], await read(answer.body)]).toEqual([
      200,
      '900000',
      900_000,
    ]);
  });

  it('fails where it is too long, too slow, silent, or breaks off', async () => {
    const long = await receiver((_request, response) => response.end(Buffer.alloc(1_000_001)));
    const slow = await receiver((_request, response) => {
      const timer = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(timer));
    });
    const silent = await receiver((_request, response) => void response.write('.'));
    const broken = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('part');
      setTimeout(() => response.destroy(), 50);
    });
    const failures = await Promise.all(
      [long, slow, silent, broken].map(async ({ port }) => {
        const answer = await outbound().open(get(`http://127.0.0.1:${port}/`), limits);
        return (await failureOf(read(answer.body))).failure;
      }),
    );
    expect(failures).toEqual(['too_large', 'timed_out', 'timed_out', 'unreachable']);
  });

  it('is not waited for longer than it may take to begin', async () => {
    const port = await rawReceiver(() => undefined);
    const failed = await failureOf(outbound().open(get(`http://127.0.0.1:${port}/`), limits));
    expect(failed).toMatchObject({ failure: 'timed_out', message: 'it did not answer within 0.5 s' });
  });

  it('that is not wanted is hung up on', async () => {
    let closed: Promise<void> | undefined;
    const { port } = await receiver((_request, response) => {
      closed = new Promise((resolve) => response.on('close', () => resolve()));
      response.write('.');
    });
    const answer = await outbound().open(get(`http://127.0.0.1:${port}/`), limits);
    answer.body.destroy();
    await closed;
  });
});

describe('an address that is named for later', () => {
  it('has no problem where it may be called, or where the name servers do not answer now', async () => {
    const broken: Lookup = async () => {
      throw Object.assign(new Error('SERVFAIL'), { code: 'ESERVFAIL' });
    };
    expect(
      await outbound({ 'ok.example': ['93.184.215.14'] }, []).problemWith('https://ok.example/'),
    ).toBeUndefined();
    expect(await outbound(broken, []).problemWith('https://ok.example/')).toBeUndefined();
    expect(await outbound({}, []).problemWith('https://[2606:4700:4700::1111]/')).toBeUndefined();
  });

  it.each([
    ['http://ok.example/', 'must start with https://'],
    ['https://inside.example/', 'must lead to a public address on the internet'],
    ['https://169.254.169.254/latest/meta-data/', 'must lead to a public address on the internet'],
    ['https://[fd00:ec2::254]/', 'must lead to a public address on the internet'],
    ['https://missing.example/', 'its host name does not exist'],
    ['https://user:pass@ok.example/', 'must not contain a user name or a password'],
  ])('%s is refused', async (url, problem) => {
    const names = { 'ok.example': ['93.184.215.14'], 'inside.example': ['10.1.2.3'] };
    expect(await outbound(names, []).problemWith(url)).toBe(problem);
  });
});
