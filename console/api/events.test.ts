import { expect, test } from 'bun:test';
import { eventsOf, type ServerEvent } from './events.ts';

function bodyOf(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      controller.close();
    },
  });
}

async function all(body: ReadableStream<Uint8Array>): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  for await (const event of eventsOf(body)) found.push(event);
  return found;
}

test('events, comments and positions', async () => {
  expect(
    await all(
      bodyOf('retry: 1000\nid: 4\n\n', 'id: 5\nevent: item.created\ndata: {"a": 1}\n\n: still here\nid: 9\n\n'),
    ),
  ).toEqual([
    { id: '4', event: '', data: '' },
    { id: '5', event: 'item.created', data: '{"a": 1}' },
    { id: '9', event: '', data: '' },
  ]);
});

test('an event that arrives in pieces, also within a character', async () => {
  const bytes = new TextEncoder().encode('id: 1\nevent: x\ndata: "é"\n\n');
  const cut = bytes.indexOf(0xc3) + 1;
  expect(await all(bodyOf(bytes.slice(0, cut), bytes.slice(cut, -1), bytes.slice(-1)))).toEqual([
    { id: '1', event: 'x', data: '"é"' },
  ]);
  expect(await all(bodyOf('id: 2\ndata: cut'))).toEqual([]);
});
