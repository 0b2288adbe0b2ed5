/** The limits of a chunked body; what is in one is tested with the body and the connection. */
import { expect, test } from 'bun:test';
import { Chunks } from './chunks.ts';

function read(wire: string): { readonly content: string; readonly done: boolean } {
  const chunks = new Chunks();
  let content = '';
  chunks.push(Buffer.from(wire), (piece) => {
    content += piece.toString('latin1');
  });
  return { content, done: chunks.done };
}

/** A chunk whose size line has so many bytes, its line end included. */
const chunk = (bytes: number) => `2;${'x'.repeat(bytes - 4)}\r\nab\r\n`;

test('a size line has 4096 bytes at most', () => {
  expect(read(`${chunk(4096)}${chunk(4096)}0\r\n\r\n`)).toEqual({ content: 'abab', done: true });
  expect(() => read(chunk(4097))).toThrow('a chunk of its body is broken');
});

test('trailers have 4096 bytes at most, all together', () => {
  const trailers = (last: number) => `0\r\nA: ${'x'.repeat(1997)}\r\nB: ${'x'.repeat(last)}\r\n\r\n`;
  expect(read(trailers(1000)).done).toBe(true);
  expect(() => read(trailers(2200))).toThrow('a chunk of its body is broken');
});
