import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Pieces } from './pieces.ts';

const anyPiece = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 1000, max: 3000 }),
  fc.integer({ min: 16_000, max: 150_000 }),
);

test('pieces of any size are taken in order, and then none are left', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyPiece, fc.boolean()), { maxLength: 40 }), fc.boolean(), (sizes, alone) => {
      const pieces = new Pieces();
      const added = sizes.map(([size, ofMore], index) => {
        const packet = Buffer.alloc(ofMore ? size * 3 : size, `piece ${index},`);
        return ofMore ? packet.subarray(size, size * 2) : packet;
      });
      for (const piece of added) pieces.add(piece, alone);
      const expected = Buffer.concat(added);
      expect(pieces.size).toBe(expected.length);
      expect(Buffer.concat(pieces.take()).equals(expected)).toBe(true);
      expect({ size: pieces.size, left: pieces.take().length }).toEqual({ size: 0, left: 0 });
    }),
  );
});

test('a single or large piece is not copied, unless it would keep a much larger buffer in memory', () => {
  const [small, large] = [Buffer.alloc(10), Buffer.alloc(100_000)];
  const pieces = new Pieces();
  pieces.add(small, true);
  expect(pieces.take()[0]).toBe(small);
  pieces.add(small, true);
  pieces.add(large, true);
  pieces.add(large.subarray(0, 20_000), true);
  const [copied, kept, alsoCopied] = pieces.take();
  expect([copied === small, kept === large, alsoCopied?.buffer === large.buffer]).toEqual([false, true, false]);
});

test('single bytes use little more memory than their size', () => {
  const packet = Buffer.alloc(64 * 1024, 'x');
  const before = process.memoryUsage().arrayBuffers;
  const pieces = new Pieces();
  for (let n = 0; n < 300_000; n++) pieces.add(packet.subarray(n % packet.length, (n % packet.length) + 1), false);
  Bun.gc(true);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  const taken = pieces.take();
  expect({ size: Buffer.concat(taken).length, few: taken.length < 15 }).toEqual({ size: 300_000, few: true });
});
