import { expect, test } from 'bun:test';
import { lstatSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/data/folder.ts';
import { type Entry, tarGzip } from './tar.ts';

/** Compressed apart, and not a whole number of blocks. */
const large = Buffer.alloc(2 ** 20 + 5, 'shelf');
const entries: readonly Entry[] = [
  { path: 'a/shelf', mode: 0o755, content: large },
  { path: 'a', mode: 0o700 },
  { path: 'a/empty', content: '' },
  { path: 'a/link', link: 'shelf' },
  { path: 'b.txt', content: 'Größe' },
];
const date = 1_700_000_000;

test('tar unpacks it', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'all.tar.gz'), tarGzip(entries, date));
  const { exitCode, stderr } = Bun.spawnSync(['tar', '-xpzf', 'all.tar.gz'], { cwd: folder, stderr: 'pipe' });
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' });
  expect(readFileSync(join(folder, 'a/shelf')).equals(large)).toBe(true);
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('Größe');
  expect(statSync(join(folder, 'a/empty')).size).toBe(0);
  expect(readlinkSync(join(folder, 'a/link'))).toBe('shelf');
  const modes = ['a', 'a/shelf', 'b.txt'].map((name) => lstatSync(join(folder, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o755, 0o644]);
  expect(statSync(join(folder, 'b.txt')).mtimeMs).toBe(date * 1000);
});

test('the order of the entries does not matter, and the date does', () => {
  const bytes = Buffer.from(tarGzip(entries, date));
  expect(bytes.equals(tarGzip(entries.toReversed(), date))).toBe(true);
  expect(bytes.equals(tarGzip(entries, date + 1))).toBe(false);
});

test('a path that does not fit is refused', () => {
  expect(() => tarGzip([{ path: 'a'.repeat(101), content: '' }], date)).toThrow(/is longer than 100 bytes/);
});
