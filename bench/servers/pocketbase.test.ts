import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { pocketbaseData } from './pocketbase.ts';

test('what PocketBase writes beside its data is in the folder of its own', () => {
  const beside = (folder: string) => join(pocketbaseData(folder), '..', 'pb_migrations');
  expect(beside('/tmp/one')).toBe('/tmp/one/pb_migrations');
  expect(beside('/tmp/one')).not.toBe(beside('/tmp/other'));
});
