import { expect, test } from 'bun:test';
import { eventsIn } from './events.ts';

/** The events of a text that arrives in pieces of this many bytes. */
async function eventsOf(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const found = [];
  for await (const event of eventsIn(async () => {
    const piece = bytes.subarray(at, at + size);
    at += size;
    return piece.length === 0 ? undefined : piece;
  }))
    found.push(event);
  return found;
}

const text =
  'retry: 1000\nid: 5\n\n: still here\nid: 6\n\nid: 7\nevent: book.created\ndata: {"title":"Æ📚"}\n\nevent:two\r\ndata:a\r\ndata: b\r\n\r\nid: 9\ndata: lost';

test.each([1, 2, 3, 7, 1000])('events are read from pieces of %d bytes', async (size) => {
  const more = size === 1000;
  expect(await eventsOf(text, size)).toEqual([
    { id: '5', type: '', data: '', more },
    { id: '6', type: '', data: '', more },
    { id: '7', type: 'book.created', data: '{"title":"Æ📚"}', more },
    { id: '7', type: 'two', data: 'a\nb', more: false },
  ]);
});
