import { afterAll, expect, spyOn, test } from 'bun:test';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { type LineRange, linesOf, Spool } from './spool.ts';
import { SpoolLimits } from './spool-limits.ts';

const folder = temporaryFolder();
const path = join(folder, 'spool');
writeFileSync(path, 'a\nb\nc\nd\ne\n');
const fd = openSync(path, 'r');
afterAll(() => closeSync(fd));

test.each<readonly [LineRange[], string]>([
  [[], 'abcde'],
  [[{ from: 0, to: 1 }], 'bcde'],
  [[{ from: 1, to: 3 }], 'ade'],
  [[{ from: 4, to: 5 }], 'abcd'],
  [
    [
      { from: 0, to: 2 },
      { from: 3, to: 4 },
    ],
    'ce',
  ],
  [[{ from: 0, to: 5 }], ''],
])('the lines without %j are %j', (without, lines) => {
  expect([...linesOf({ fd, size: 10, without })].flat().join('')).toBe(lines);
});

test('a write of which the system stores only a part is continued where that ends', async () => {
  const spool = await Spool.open(folder, new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 100 }).of('a'));
  const { file } = spool;
  const write = file.write.bind(file) as (
    bytes: Uint8Array,
    at: number,
    length: number,
    to: number,
  ) => Promise<unknown>;
  const asked: number[] = [];
  spyOn(file, 'write').mockImplementation(((bytes: Uint8Array, at: number, length: number, to: number) => {
    asked.push(length);
    return write(bytes, at, Math.min(length, 3), to);
  }) as typeof file.write);
  await spool.write(Buffer.from('abc'));
  await spool.write(Buffer.from('defghij'));
  expect(asked).toEqual([3, 7, 4, 1]);
  expect(String(Buffer.from((await spool.read(0)) ?? []))).toBe('abcdefghij');
  await spool.close();
});
