/** Bodies that are read as a whole, or piece by piece as they arrive. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../../domain/errors.ts';
import { Body, noBody } from './body.ts';
import { HeadReader } from './head.ts';
import { Incoming } from './incoming.ts';

const chunked = (pieces: readonly string[]) =>
  `${pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`;

async function takeAll(body: Body, max: number): Promise<string> {
  let text = '';
  for (let piece = await body.take(max); piece.length > 0; piece = await body.take(max))
    text += piece.toString('latin1');
  return text;
}

test('a body is read completely and in order, whatever its packets and chunks', async () => {
  const texts = fc.array(fc.string({ minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(texts, fc.boolean(), fc.integer({ min: 1, max: 20 }), async (pieces, inChunks, step) => {
      const whole = Buffer.from(pieces.join(''));
      const wire = Buffer.from(inChunks ? chunked(pieces) : pieces.join(''));
      let wanted = 0;
      const body = new Body(inChunks ? 'chunked' : whole.length, () => wanted++);
      const taken = takeAll(body, whole.length);
      for (let at = 0; at < wire.length; at += step) {
        const behind = body.push(Buffer.from(wire.subarray(at, at + step)));
        if (body.done) break;
        expect(behind.length).toBe(0);
        await Promise.resolve();
      }
      expect(await taken).toBe(whole.toString('latin1'));
      expect(wanted).toBeGreaterThan(0);
    }),
  );
});

test('a body that arrived with its head is returned as text only once', () => {
  const body = Body.whole('abcd');
  expect([body.readText(4), body.readText(4)]).toEqual(['abcd', undefined]);
});

test('a body that arrived with its head can be read as text or as bytes', async () => {
  const whole = () => Body.whole('abcd');
  expect({ done: whole().done, text: whole().readText(4) }).toEqual({ done: true, text: 'abcd' });
  expect(String((await whole().read(4))[0])).toBe('abcd');
  expect(await takeAll(whole(), 4)).toBe('abcd');
  for (const how of ['readText', 'read', 'take'] as const) expect(() => whole()[how](3)).toThrow('limit of 3 bytes');
  expect(new Body(4, () => {}).readText(4)).toBeUndefined();
});

test('`waiting` is the number of bytes that were not taken yet', async () => {
  const body = new Body(10, () => {});
  body.push(Buffer.from('abcd'));
  expect(body.waiting).toBe(4);
  expect(String(await body.take(10))).toBe('abcd');
  expect(body.waiting).toBe(0);
});

test('a reader that waits gets the first bytes as they arrive, not at the end of the body', async () => {
  for (const [framing, packet] of [
    [10, 'abcd'],
    ['chunked', '4\r\nabcd\r\n'],
  ] as const) {
    const body = new Body(framing, () => {});
    const piece = body.take(10);
    body.push(Buffer.from(packet));
    body.fail(new Failure('request_timeout'));
    expect(String(await piece)).toBe('abcd');
  }
});

test('a body over the limit is refused: at once if its length is known, else when it arrives', async () => {
  expect(() => new Body(11, () => {}).take(10)).toThrow('over the limit of 10 bytes');
  const body = new Body('chunked', () => {});
  const taken = takeAll(body, 10);
  body.push(Buffer.from('6\r\nabcdef\r\n'));
  await Promise.resolve();
  body.push(Buffer.from('6\r\nabcdef\r\n'));
  expect(taken).rejects.toThrow('over the limit of 10 bytes');
});

test('a failed body rejects pending and later reads', async () => {
  const body = new Body(10, () => {});
  const piece = body.take(10);
  body.fail(new Failure('request_timeout'));
  expect(piece).rejects.toThrow(Failure);
  expect(() => body.take(10)).toThrow(Failure);
  expect(() => body.read(10)).toThrow(Failure);
});

test.each([
  ['X-A: 1', 'X-A: 2', 'Host: x'],
  ['X-A: 1', 'Host: x', 'X-A: 2'],
  ['Host: x', 'X-A: 1', 'X-A: 2'],
])('a header that is sent twice has both values, in any order: %s, %s, %s', (...headers) => {
  const head = new HeadReader().read(`GET / HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  const request = new Incoming(head, noBody, {
    address: '127.0.0.1',
    overLimit: false,
    isUnix: false,
    isSecure: false,
    certificate: undefined,
  });
  expect([request.header('x-a'), request.header('host'), request.header('x-b')]).toEqual(['1, 2', 'x', null]);
});
