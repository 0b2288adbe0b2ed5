import { expect, test } from 'bun:test';
import type { Bytes } from '../../domain/bytes.ts';
import { noBody } from '../../wire/request/body.ts';
import { Incoming } from '../../wire/request/incoming.ts';
import { compress, compressParts, encodingFor, most, streamEncodingFor } from './compress.ts';

const fields = {
  modern: true,
  framing: 0,
  keepAlive: true,
  expectsContinue: false,
  conditional: false,
  identified: false,
  host: undefined,
  fromBrowser: false,
};
const head = { method: 'GET', target: '/', fields: { ...fields, names: ['accept-encoding'], values: ['gzip'] } };
const request = new Incoming(head, noBody, {
  address: '',
  overLimit: false,
  isUnix: false,
  isSecure: false,
  certificate: undefined,
});

/** Parts of varying size, some of them empty. `hasLeft`: the reader has returned the iterator. */
function source(count: number) {
  const parts = Array.from({ length: count }, (_, n) => new TextEncoder().encode(`part ${n} `.repeat((n * 37) % 1000)));
  let at = 0;
  let left = false;
  const iterator: AsyncIterator<Bytes> = {
    next: async () => {
      const value = parts[at++];
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    return: async () => {
      left = true;
      return { done: true, value: undefined };
    },
  };
  return { iterator, plain: Buffer.concat(parts), hasLeft: () => left, pulled: () => at };
}

async function readAll(parts: AsyncIterator<Bytes>): Promise<Buffer<ArrayBuffer>> {
  const read: Bytes[] = [];
  for (let part = await parts.next(); part.done !== true; part = await parts.next()) read.push(part.value);
  return Buffer.concat(read);
}

test.each([
  ['gzip', (bytes: Bytes) => Bun.gunzipSync(bytes)],
  ['zstd', (bytes: Bytes) => Bun.zstdDecompressSync(bytes)],
] as const)('a stream in %s is all of its parts, in order', async (encoding, unpack) => {
  for (const count of [0, 1, 2, 50]) {
    const { iterator, plain } = source(count);
    const packed = await readAll(compressParts(iterator, encoding));
    expect(Buffer.from(unpack(packed)).equals(plain)).toBe(true);
  }
});

test('a part is pulled when the reader asks, not ahead of it', async () => {
  // Random bytes do not shrink, so output follows input at once.
  const noise = Array.from({ length: 20 }, () => crypto.getRandomValues(new Uint8Array(65_536)));
  let pulled = 0;
  const next = async (): Promise<IteratorResult<Bytes>> => {
    const value = noise[pulled++];
    return value === undefined ? { done: true, value } : { done: false, value };
  };
  const packed = compressParts({ next }, 'gzip');
  await packed.next();
  expect(pulled).toBeLessThan(4);
  await packed.return?.();
});

test('the number of compressed streams is limited; one that ends, fails or loses its reader makes room', async () => {
  const room = () => streamEncodingFor(request) === 'gzip';
  const begun = Array.from({ length: most.streams - 1 }, () => compressParts(source(3).iterator, 'gzip'));
  expect(room()).toBe(true);
  const failing = { next: () => Promise.reject(new Error('the database went away')) };
  const ways = [
    async (parts: AsyncIterator<Bytes>) => void (await readAll(parts)),
    async (parts: AsyncIterator<Bytes>) => void (await parts.return?.()),
    async (parts: AsyncIterator<Bytes>) => {
      await parts.next();
      await parts.return?.();
      await parts.return?.();
    },
  ];
  for (const end of ways) {
    const { iterator, hasLeft } = source(3);
    const last = compressParts(iterator, 'gzip');
    expect(room()).toBe(false);
    await end(last);
    expect(room()).toBe(true);
    if (end !== ways[0]) expect(hasLeft()).toBe(true);
  }
  const broken = compressParts(failing, 'gzip');
  expect(room()).toBe(false);
  await expect(broken.next()).rejects.toThrow('the database went away');
  expect(room()).toBe(true);
  for (const parts of begun) await parts.return?.();
});

test('over the limit of bytes in progress, an answer is sent uncompressed', async () => {
  expect(encodingFor(request, 1023)).toBeUndefined();
  expect(encodingFor(request, 1024)).toBe('gzip');
  const many = new Uint8Array(most.bytes - 2000);
  const busy = compress(many, 'zstd');
  expect(encodingFor(request, 1024)).toBe('gzip');
  expect(encodingFor(request, 4096)).toBeUndefined();
  await busy;
  expect(encodingFor(request, 4096)).toBe('gzip');
});
