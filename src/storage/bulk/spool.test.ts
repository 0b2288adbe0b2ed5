import { afterAll, expect, test } from 'bun:test';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { type LineRange, linesOf } from './spool.ts';

const path = join(temporaryFolder(), 'spool');
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
