import { expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { connect } from './connection.ts';

test('a commit waits for the disk, and a WAL of more than 64 MiB is truncated', () => {
  const path = join(temporaryFolder(), 'x.db');
  writeFileSync(path, '');
  const db = connect(path);
  const pragma = (name: string) =>
    Object.values(db.prepare<Record<string, unknown>, []>(`pragma ${name}`).get() ?? {})[0];
  expect(pragma('journal_mode')).toBe('wal');
  expect(pragma('synchronous')).toBe(2);
  expect(pragma('fullfsync')).toBe(1);
  expect(pragma('busy_timeout')).toBe(5000);
  expect(pragma('journal_size_limit')).toBe(67_108_864);
});

test('a missing file is not created', () => {
  const path = join(temporaryFolder(), 'none.db');
  expect(() => connect(path)).toThrow();
  expect(existsSync(path)).toBe(false);
});
