import { readEvents, type StreamEvent } from './event-stream';

async function eventsIn(text: string, pieceBytes: number): Promise<StreamEvent[]> {
  const bytes = new TextEncoder().encode(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.slice(at, at + pieceBytes);
  }
  const events: StreamEvent[] = [];
  for await (const event of readEvents(pieces())) events.push(event);
  return events;
}

const TEXT = [
  ': a comment',
  '',
  'id: 1',
  'event: progress',
  'data: {"text":"Zoë — ✓"}',
  '',
  'data',
  'data:  two',
  'retry: 10',
  '',
  'event: nothing',
  '',
  'id: 2',
  'data:3',
  '',
  'data: cut off',
].join('\n');
const EVENTS = [
  { id: '1', event: 'progress', data: '{"text":"Zoë — ✓"}' },
  { id: '1', event: 'message', data: '\n two' },
  { id: '2', event: 'message', data: '3' },
];

describe.each(['\n', '\r\n', '\r'])('with lines that end in %j', (end) => {
  it.each([1, 2, 3, 7, 1_000])('reads the same events in pieces of %i bytes', async (pieceBytes) => {
    expect(await eventsIn(TEXT.replaceAll('\n', end), pieceBytes)).toEqual(EVENTS);
  });
});
