import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/folder.ts';
import { connect } from './connection.ts';

test('a commit waits for the disk', () => {
  const db = connect(join(temporaryFolder(), 'x.db'));
  const pragma = (name: string) =>
    Object.values(db.prepare<Record<string, unknown>, []>(`pragma ${name}`).get() ?? {})[0];
  expect(pragma('journal_mode')).toBe('wal');
  expect(pragma('synchronous')).toBe(2);
  expect(pragma('fullfsync')).toBe(1);
  expect(pragma('busy_timeout')).toBe(5000);
});
