/** The signature of an executable of macOS, on the least file that has the parts that it needs. */
import { expect, test } from 'bun:test';
import { changedPages, signMacos } from './sign-macos.ts';

const end = 3 * 4096 + 16;

/** A header, two segments and the command of a signature that covers less than precedes it, as the bundler leaves it. */
function executable(): Buffer {
  const file = Buffer.alloc(end + 64, 7);
  file.fill(0, 0, 256);
  file.writeUInt32LE(3, 16);
  for (const [at, name, offset, size] of [
    [32, '__TEXT', 0, 4096],
    [104, '__LINKEDIT', 8192, end + 64 - 8192],
  ] as const) {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8, 'latin1');
    file.writeBigUInt64LE(BigInt(offset), at + 40);
    file.writeBigUInt64LE(BigInt(size), at + 48);
  }
  file.writeUInt32LE(0x1d, 176);
  file.writeUInt32LE(16, 180);
  file.writeUInt32LE(end, 184);
  file.writeUInt32LE(64, 188);
  return file;
}

test('covers all that precedes it, and is the end of the last segment', () => {
  const signed = Buffer.from(signMacos(executable(), 'shelf'));
  expect(changedPages(signed)).toBe(0);
  expect(signed.length).toBe(end + signed.readUInt32LE(188));
  expect(Number(signed.readBigUInt64LE(104 + 48))).toBe(signed.length - 8192);
  expect(Number(signed.readBigUInt64LE(104 + 32)) % 4096).toBe(0);
});

test('a changed byte is in one page that no longer fits', () => {
  const signed = Buffer.from(signMacos(executable(), 'shelf'));
  signed[5000] = 8;
  expect(changedPages(signed)).toBe(1);
});
