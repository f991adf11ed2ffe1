import { once } from 'node:events';
import * as http from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveUpload, type AcceptedFile, type ReceivedUpload, type ReceiveOptions } from './receive-upload';

const wav = (sizeBytes: number) => {
  const bytes = Buffer.alloc(sizeBytes, 7);
  bytes.write('RIFF....WAVEfmt ', 'latin1');
  return bytes;
};
const boundary = 'x7MA4YWxkTrZu0gW';
const contentType = `multipart/form-data; boundary=${boundary}`;
const field = (name: string, value: string) =>
  Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
const filePart = (content: Buffer, disposition = 'name="file"; filename="talk.wav"') =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: audio/x\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ]);
const end = Buffer.from(`--${boundary}--\r\n`);

interface Reception {
  result?: ReceivedUpload<Buffer>;
  error?: unknown;
  storeFailedWith?: unknown;
  file?: AcceptedFile;
  settled: Promise<void>;
}

let server: http.Server;
let options: Partial<ReceiveOptions<Buffer>>;
let reception: Reception;

/** Keeps what arrives in memory, and notes when its stream fails as the real store would. */
async function keep(content: Readable, file: AcceptedFile): Promise<Buffer> {
  reception.file = file;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    reception.storeFailedWith = error;
    throw error;
  }
  return Buffer.concat(chunks);
}

beforeEach(async () => {
  options = {};
  let settle: () => void = () => undefined;
  reception = { settled: new Promise((resolve) => (settle = resolve)) };
  server = http.createServer((request, response) => {
    const fieldNames = ['language', 'prompt', 'a'];
    const limits = { maxFileBytes: 3_000_000, minBytesPerSecond: 1000, fieldNames, store: keep };
    receiveUpload(request, { ...limits, ...options })
      .then(
        (result) => {
          reception.result = result;
          response.writeHead(result.ok ? 200 : 400).end(result.ok ? 'taken' : result.refusal.code);
        },
        (error: unknown) => {
          reception.error = error;
          response.writeHead(500).end('broken');
        },
      )
      .finally(settle);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function open(headers: http.OutgoingHttpHeaders = { 'content-type': contentType }): http.ClientRequest {
  const { port } = server.address() as AddressInfo;
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/', headers });
  request.on('error', () => undefined);
  return request;
}

async function answerOf(request: http.ClientRequest): Promise<{ status: number; text: string }> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text };
}

/** Sends the body in pieces that cut across headers and boundaries, chunked or with its length announced. */
async function send(body: Buffer, transfer: 'chunked' | 'announced' = 'announced', type = contentType) {
  const request = open({
    'content-type': type,
    ...(transfer === 'announced' ? { 'content-length': body.length } : {}),
  });
  const pieces = (function* () {
    const size = body.length < 10_000 ? 37 : 50_021;
    for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
  })();
  Readable.from(pieces).pipe(request);
  const answer = await answerOf(request);
  await reception.settled;
  return answer;
}

describe.each(['chunked', 'announced'] as const)('a %s body', (transfer) => {
  it('is received with the file first and the fields after it', async () => {
    const content = wav(1_000_000);
    const body = Buffer.concat([
      filePart(content),
      field('language', 'en-AU'),
      field('prompt', 'Wörter, 雨'),
      end,
    ]);
    expect(await send(body, transfer)).toEqual({ status: 200, text: 'taken' });
    expect(reception.result).toEqual({
      ok: true,
      stored: content,
      fields: { language: 'en-AU', prompt: 'Wörter, 雨' },
      sizeBytes: 1_000_000,
    });
    expect(reception.file).toMatchObject({ filename: 'talk.wav', contentType: 'audio/wav' });
    const atLeast = transfer === 'chunked' ? 0 : body.length - 512 * 1024;
    expect(reception.file?.atLeastBytes).toBe(atLeast);
  });

  it('is received with the file last, and a repeated field counts by its last value', async () => {
    const body = Buffer.concat([field('a', '1'), field('a', '2'), filePart(wav(60)), end]);
    expect((await send(body, transfer)).status).toBe(200);
    expect(reception.result).toMatchObject({ fields: { a: '2' }, sizeBytes: 60 });
  });

  it('is refused as soon as the file passes the limit, and the store is told', async () => {
    const body = Buffer.concat([filePart(wav(3_000_001)), end]);
    expect(await send(body, transfer)).toEqual({ status: 400, text: 'file_too_large' });
    expect(reception.storeFailedWith).toBeInstanceOf(Error);
  });

  it('is accepted at exactly the limit', async () => {
    const body = Buffer.concat([filePart(wav(3_000_000)), end]);
    expect((await send(body, transfer)).status).toBe(200);
  });

  it('that ends before its closing boundary is refused, and the store is told', async () => {
    const body = Buffer.concat([filePart(wav(100_000)), field('language', 'en')]);
    expect(await send(body, transfer)).toEqual({ status: 400, text: 'body_unreadable' });
    expect(reception.storeFailedWith).toBeInstanceOf(Error);
  });

  it('with a second file is refused although the first was whole', async () => {
    const body = Buffer.concat([filePart(wav(100_000)), filePart(wav(100)), end]);
    expect(await send(body, transfer)).toEqual({ status: 400, text: 'too_many_files' });
    expect(reception.storeFailedWith).toBeInstanceOf(Error);
  });
});

describe('refused before the store hears of it', () => {
  afterEach(() => expect(reception.file).toBeUndefined());

  it.each([
    ['no file', [field('language', 'en')], 'file_missing'],
    ['an ordinary field named file', [field('file', 'talk.wav')], 'file_missing'],
    ['a recording without a filename', [filePart(wav(2_000_000), 'name="file"')], 'file_missing'],
    [
      'a nameless file, as browsers send where none was chosen',
      [filePart(Buffer.alloc(0), 'name="file"; filename=""')],
      'file_missing',
    ],
    ['a file in another field', [filePart(wav(100), 'name="audio"; filename="talk.wav"')], 'file_missing'],
    ['an empty file', [filePart(Buffer.alloc(0))], 'file_empty'],
    [
      'an unknown extension',
      [filePart(wav(100), 'name="file"; filename="talk.txt"')],
      'file_type_unsupported',
    ],
    ['no extension', [filePart(wav(100), 'name="file"; filename="wav"')], 'file_type_unsupported'],
    ['content that is no audio, short', [filePart(Buffer.from('hello'))], 'file_type_unsupported'],
    ['content that is no audio, long', [filePart(Buffer.alloc(2_000_000, 'hello'))], 'file_type_unsupported'],
    ['too long a field', [field('prompt', 'x'.repeat(70_000)), filePart(wav(100))], 'invalid_parameter'],
    ['too many fields', Array.from({ length: 60 }, (_, index) => field(`f${index}`, '')), 'body_unreadable'],
  ])('%s', async (_, parts, code) => {
    expect(await send(Buffer.concat([...parts, end]))).toEqual({ status: 400, text: code });
  });

  it.each([
    ['no boundary', 'multipart/form-data'],
    ['an empty boundary', 'multipart/form-data; boundary='],
    ['another type', 'application/json'],
    ['the boundary of another body', 'multipart/form-data; boundary=other'],
  ])('a body with %s', async (_, type) => {
    expect(await send(Buffer.concat([filePart(wav(100)), end]), 'announced', type)).toEqual({
      status: 400,
      text: 'body_unreadable',
    });
  });

  it('an empty body', async () => {
    expect(await send(Buffer.alloc(0))).toEqual({ status: 400, text: 'body_unreadable' });
  });

  it('an announced length that cannot hold an allowed file, without reading it', async () => {
    const request = open({ 'content-type': contentType, 'content-length': 10_000_000 });
    request.write(filePart(wav(10)));
    expect(await answerOf(request)).toEqual({ status: 400, text: 'file_too_large' });
    request.destroy();
  });
});

it('an unknown field is ignored, however long within what a form may hold', async () => {
  const body = Buffer.concat([field('notes', 'x'.repeat(400_000)), filePart(wav(100)), field('a', '1'), end]);
  expect((await send(body)).status).toBe(200);
  expect(reception.result).toMatchObject({ fields: { a: '1' } });
});

it.each([
  ['no file', field('a', '1'), 'file: no file was sent. Send one part named "file".'],
  [
    'no filename',
    filePart(wav(100), 'name="file"'),
    'file: send it as a file, with a filename that ends in .mp3 .wav .ogg .flac .m4a .mp4 .webm',
  ],
  ['no byte', filePart(Buffer.alloc(0)), 'file: the file is empty.'],
  [
    'another extension',
    filePart(wav(100), 'name="file"; filename="talk.txt"'),
    'file: its name does not end in the extension of a supported type. Allowed: .mp3 .wav .ogg .flac .m4a .mp4 .webm',
  ],
  [
    'another content',
    filePart(Buffer.from('hello')),
    'file: its content is not audio of a supported type. Allowed: .mp3 .wav .ogg .flac .m4a .mp4 .webm',
  ],
  ['too many bytes', filePart(wav(3_000_001)), 'file: it is larger than the 3 MB that are allowed.'],
  ['a second file', Buffer.concat([filePart(wav(100)), filePart(wav(100))]), 'file: send exactly one file.'],
  ['too long a field', field('prompt', 'x'.repeat(70_000)), 'prompt: must be at most 65536 bytes long'],
])('%s: the refusal begins with the name of the field and says what is allowed', async (_, part, detail) => {
  await send(Buffer.concat([part, end]));
  expect(reception.result).toMatchObject({ ok: false, refusal: { detail } });
});

it('a client that reads nothing before it has sent everything still reads its refusal', async () => {
  // 100 MB refused at the first byte: more than any buffer on the way holds.
  options = { maxFileBytes: 80_000_000 };
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${contentType}\r\nContent-Length: 100000000\r\n\r\n`,
  );
  const rest = Buffer.alloc(1_000_000);
  for (let sent = 0; sent < 100; sent++) if (!socket.write(rest)) await once(socket, 'drain');
  const [answer] = (await once(socket.resume(), 'data')) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400 .*file_too_large/s);
  socket.destroy();
});

it('more than half a megabyte besides the file is refused', async () => {
  const stuffing = filePart(Buffer.alloc(600_000), 'name="attachment"; filename="photo.jpg"');
  expect(await send(Buffer.concat([filePart(wav(100_000)), stuffing, end]))).toEqual({
    status: 400,
    text: 'body_unreadable',
  });
  expect(reception.storeFailedWith).toBeInstanceOf(Error);
});

it.each(['talk.WAV', 'talk.mp3', 'a.b.M4A'])(
  'audio under another accepted extension is taken (%s)',
  async (name) => {
    const body = Buffer.concat([filePart(wav(100), `name="file"; filename="${name}"`), end]);
    expect((await send(body)).status).toBe(200);
    expect(reception.file).toMatchObject({ filename: name, contentType: 'audio/wav' });
  },
);

it.each([
  ['filename="Gespräch mit Zoë 雨.wav"', 'Gespräch mit Zoë 雨.wav'],
  ["filename*=UTF-8''Gespr%C3%A4ch.wav", 'Gespräch.wav'],
  ["filename=fallback.wav; filename*=UTF-8''%E9%9B%A8.wav", '雨.wav'],
  ['filename="C:\\\\Users\\\\me\\\\talk.wav"', 'talk.wav'],
  ['filename="../../etc/talk.wav"', 'talk.wav'],
])('%s is shown as %s', async (sent, shown) => {
  const body = Buffer.concat([filePart(wav(100), `name="file"; ${sent}`), end]);
  expect((await send(body)).status).toBe(200);
  expect(reception.file).toMatchObject({ filename: shown });
});

it.each([0, 10, 150, 5_000, 500_000])(
  'a client that leaves after %d bytes of the body fails the store',
  async (sentBytes) => {
    const body = Buffer.concat([field('language', 'en'), filePart(wav(1_000_000)), end]);
    const request = open({ 'content-type': contentType, 'content-length': body.length });
    request.flushHeaders();
    if (sentBytes > 0) request.write(body.subarray(0, sentBytes));
    await sleep(50);
    request.destroy();
    await reception.settled;
    expect(reception.result).toMatchObject({ ok: false, refusal: { code: 'client_gone' } });
    expect(reception.storeFailedWith === undefined).toBe(reception.file === undefined);
  },
);

it('a client that trickles is refused', async () => {
  options = { minBytesPerSecond: 10_000, paceWindowSeconds: 0.3 };
  const request = open();
  request.write(filePart(wav(10_000)));
  const trickle = setInterval(() => request.write('x'), 20);
  expect(await answerOf(request)).toEqual({ status: 400, text: 'too_slow' });
  clearInterval(trickle);
  request.destroy();
  expect(reception.storeFailedWith).toBeInstanceOf(Error);
});

it.each([100, 50_000, 150_000, 200_000, 250_000, 2_000_000])(
  'a client that sent %d bytes is not blamed for a store that is slow',
  async (bytes) => {
    options = {
      minBytesPerSecond: 1_000_000,
      paceWindowSeconds: 0.2,
      store: async (content, file) => {
        await sleep(800);
        return keep(content, file);
      },
    };
    expect((await send(Buffer.concat([filePart(wav(bytes)), end]))).status).toBe(200);
  },
);

it('a store that fails in the middle is a breakdown, and the client can read the answer', async () => {
  options = {
    store: async (content) => {
      await once(content, 'readable');
      throw new Error('no store');
    },
  };
  expect(await send(Buffer.concat([filePart(wav(2_500_000)), end]))).toEqual({ status: 500, text: 'broken' });
  expect(reception.error).toEqual(new Error('no store'));
});

it('a store that drops the file and says why later is a breakdown for that reason', async () => {
  options = {
    store: async (content) => {
      await once(content, 'readable');
      content.destroy();
      await sleep(100);
      throw new Error('no store');
    },
  };
  expect((await send(Buffer.concat([filePart(wav(2_500_000)), end]))).text).toBe('broken');
  expect(reception.error).toEqual(new Error('no store'));
});

it('a store that drops the file and is content nevertheless is a breakdown', async () => {
  options = {
    store: async (content) => {
      await once(content, 'readable');
      content.destroy();
      return Buffer.alloc(0);
    },
  };
  expect((await send(Buffer.concat([filePart(wav(2_500_000)), end]))).text).toBe('broken');
});

it('a store that throws at once is a breakdown', async () => {
  options = {
    store: () => {
      throw new Error('no store');
    },
  };
  expect((await send(Buffer.concat([filePart(wav(100)), end]))).text).toBe('broken');
});

it('the store sees the end of the file only after the whole body was read', async () => {
  let ended = false;
  options = {
    store: async (content, file) => {
      const copy = new PassThrough();
      content.on('end', () => (ended = true));
      content.on('error', (error) => copy.destroy(error));
      return keep(content.pipe(copy), file);
    },
  };
  const request = open();
  request.write(filePart(wav(10_000)));
  await sleep(100);
  expect(ended).toBe(false);
  request.end(end);
  expect((await answerOf(request)).status).toBe(200);
  expect(ended).toBe(true);
});
