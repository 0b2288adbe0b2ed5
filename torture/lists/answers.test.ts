import { expect, test } from 'bun:test';
import { Answers } from './answers.ts';

const head = (length: number | string, line = 'HTTP/1.1 200 OK') =>
  `${line}\r\nETag: "1"\r\nContent-Length: ${length}\r\n\r\n`;

/** The answers in the bytes, as `status body`, and how many bytes are left. */
function read(bytes: string, chunkBytes = bytes.length) {
  const answers = new Answers();
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    answers.take(Buffer.from(bytes.slice(at, at + chunkBytes), 'latin1'), ({ status, body }) =>
      found.push(`${status} ${body}`),
    );
  return { found, incomplete: answers.incomplete };
}

test.each([1, 7, 1000])('answers follow each other, in chunks of %d bytes', (chunkBytes) => {
  const bytes = `${head(2)}[]HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n${head(3)}[1]${head(9)}[1,2`;
  const incomplete = `${head(9)}[1,2`.length;
  expect(read(bytes, chunkBytes)).toEqual({ found: ['200 []', '204 ', '200 [1]'], incomplete });
});

test('a body longer than the first buffer is kept whole', () => {
  const body = 'é'.repeat(200_000);
  expect(read(`${head(200_000)}${body}${head(1)}x`, 50_000).found).toEqual([
    `200 ${Buffer.from(body, 'latin1')}`,
    '200 x',
  ]);
});

test.each([
  ['a body that is longer than it says', `${head(2)}[1]${head(2)}[]`, 'expected a status line, got "]HTTP'],
  ['a body that is shorter than it says', `${head(3)}[]${head(2)}[]`, 'expected a status line, got "TTP'],
  ['another protocol', head(0, 'HTTP/1.0 200 OK'), 'expected a status line'],
  ['a status that is no number', head(0, 'HTTP/1.1 2x0 OK'), 'expected a status line'],
  ['a length that is no number', head('2x'), 'expected a Content-Length, got 2x'],
  ['no length', 'HTTP/1.1 200 OK\r\n\r\n', 'expected a Content-Length, got undefined'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\n', 'two headers content-length'],
  ['a chunked body', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', 'got a Transfer-Encoding'],
  ['a 204 with a length', head(0, 'HTTP/1.1 204 No Content'), 'a 204 with Content-Length 0'],
  ['a line that is no header', 'HTTP/1.1 200 OK\r\nnothing\r\n\r\n', 'expected a header, got nothing'],
  ['a head without end', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(20_000)}`, 'a head without end'],
])('%s is no answer', (_, bytes, message) => {
  expect(() => read(bytes)).toThrow(message);
});
