import { expect, test } from 'bun:test';
import { Failure } from '../../domain/errors.ts';
import { endOfHead, HeadReader, maxHeadBytes } from './head.ts';

const text = (method: string, length: number) =>
  `${method} /api/items HTTP/1.1\r\nHost: here\r\nContent-Length: ${length}\r\n\r\n`;

test('a repeated head is parsed once, also if reads and writes alternate', () => {
  const heads = new HeadReader();
  const [read, write] = [heads.read(text('GET', 0)).fields, heads.read(text('POST', 9)).fields];
  for (let round = 0; round < 3; round++) {
    expect(heads.read(text('GET', 0)).fields).toBe(read);
    expect(heads.read(text('POST', 9)).fields).toBe(write);
  }
});

test('a long head is parsed each time, and evicts no other', () => {
  const heads = new HeadReader();
  const short = heads.read(text('GET', 0)).fields;
  const long = text('GET', 0).replace('here', 'h'.repeat(5000));
  expect(heads.read(long).fields).not.toBe(heads.read(long).fields);
  expect(heads.read(text('GET', 0)).fields).toBe(short);
});

test('a different head is parsed, whatever came before it', () => {
  const heads = new HeadReader();
  for (const length of [1, 2, 3, 1, 3, 2, 2, 1]) {
    expect(heads.read(text('POST', length))).toMatchObject({ method: 'POST', fields: { framing: length } });
  }
});

const read = (...headers: string[]) => new HeadReader().read(`POST /a HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);

test.each([
  ['first', ['Host: a b', 'Accept: */*']],
  ['last', ['Accept: */*', 'Host: a b']],
])('an invalid Host is refused if it is the %s header', (_, headers) => {
  expect(() => read(...headers)).toThrow('its Host is not a name or an address');
});

test.each([
  ['first', ['Content-Length: 9', 'Host: here']],
  ['last', ['Host: here', 'Content-Length: 9']],
])('Content-Length is used if it is the %s header', (_, headers) => {
  expect(read(...headers).fields.framing).toBe(9);
});

/** The code of the failure that the beginning of a head causes. */
function refusal(beginning: string): string {
  try {
    endOfHead(beginning);
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
  return 'none';
}

const half = 'x'.repeat(maxHeadBytes / 2);

test.each([
  ['uri_too_long', 'its first line has not ended', `GET /${half}${half}`],
  ['uri_too_long', 'its first line is more than half of the limit', `GET /${half} HTTP/1.1\r\nA: ${half}\r\n`],
  ['head_too_large', 'its headers are most of the limit', `GET / HTTP/1.1\r\nA: ${half}\r\nB: ${half}\r\n`],
  ['none', 'it is not over the limit yet', `GET /${half} HTTP/1.1\r\n`],
])('the error of an incomplete head is %s if %s', (code, _, beginning) => {
  expect(refusal(beginning)).toBe(code);
});
