/** The limits of a chunked body; its content is tested with the body and the connection. */
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

/** A chunk whose size line has `bytes` bytes, including its line end. */
const chunk = (bytes: number) => `2;${'x'.repeat(bytes - 4)}\r\nab\r\n`;

test('a size line has at most 4096 bytes', () => {
  expect(read(`${chunk(4096)}${chunk(4096)}0\r\n\r\n`)).toEqual({ content: 'abab', done: true });
  expect(() => read(chunk(4097))).toThrow('a chunk of its body is broken');
});

test('all trailers together have at most 4096 bytes', () => {
  const trailers = (last: number) => `0\r\nA: ${'x'.repeat(1997)}\r\nB: ${'x'.repeat(last)}\r\n\r\n`;
  expect(read(trailers(1000)).done).toBe(true);
  expect(() => read(trailers(2200))).toThrow('a chunk of its body is broken');
});
