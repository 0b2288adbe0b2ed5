/** UTF-8 in pieces is the same text, and a byte that is none is named. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Utf8Pieces } from './utf8.ts';

function decode(pieces: readonly Uint8Array[]): { text: string; reason?: string } {
  const decoder = new Utf8Pieces();
  let text = '';
  for (const next of [...pieces.map((piece) => () => decoder.push(piece)), () => decoder.end()]) {
    const found = next();
    if (typeof found !== 'string') return { text: text + found.before, reason: found.reason };
    text += found;
  }
  return { text };
}

/** Single bytes, and the whole. */
const cuts = (bytes: Uint8Array) => [[bytes], [...bytes].map((byte) => Uint8Array.of(byte))];

test('any text in any pieces', () => {
  const pieces = fc.tuple(fc.string({ unit: 'binary' }), fc.array(fc.nat(100), { maxLength: 5 }));
  fc.assert(
    fc.property(pieces, ([text, places]) => {
      const bytes = new TextEncoder().encode(text);
      const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((one, two) => one - two);
      const parts = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      expect(decode(parts)).toEqual({ text: new TextDecoder().decode(bytes) });
    }),
    { numRuns: 3000 },
  );
});

test.each([
  [[0x61, 0xe9, 0x0a], 'a', 'has the byte 0xE9 at offset 1, which is not UTF-8'],
  [[0x61, 0x62, 0xc3], 'ab', 'has the byte 0xC3 at offset 2, which is not UTF-8'],
  [[0xe2, 0x82, 0x61], '', 'has the byte 0xE2 at offset 0, which is not UTF-8'],
  [[0xfe, 0x61], '', 'has the byte 0xFE at offset 0, which is not UTF-8'],
  [[0xff, 0x61], '', 'has the byte 0xFF at offset 0, which is not UTF-8'],
  [[0x61, 0xff], 'a', 'has the byte 0xFF at offset 1, which is not UTF-8'],
  [[0xc0, 0x80], '', 'has the byte 0xC0 at offset 0, which is not UTF-8'],
  [[0xed, 0xa0, 0x80], '', 'has the byte 0xED at offset 0, which is not UTF-8'],
  [[0xf4, 0x90, 0x80, 0x80], '', 'has the byte 0xF4 at offset 0, which is not UTF-8'],
])('%p is refused', (bytes, text, reason) => {
  for (const pieces of cuts(Uint8Array.from(bytes))) expect(decode(pieces)).toEqual({ text, reason });
});

test('UTF-16 and gzip are named', () => {
  const littleEndian = Buffer.from('\ufeffa', 'utf16le');
  expect(decode([littleEndian]).reason).toBe('is UTF-16, not UTF-8: it has the byte 0xFF at offset 0');
  expect(decode([littleEndian.swap16()]).reason).toBe('is UTF-16, not UTF-8: it has the byte 0xFE at offset 0');
  expect(decode([Bun.gzipSync('text')]).reason).toBe('is compressed with gzip: it has the byte 0x8B at offset 1');
});

test('one byte order mark at the start is left out', () => {
  for (const pieces of cuts(new TextEncoder().encode('\ufeff\ufeffa\ufeff')))
    expect(decode(pieces).text).toBe('\ufeffa\ufeff');
});
