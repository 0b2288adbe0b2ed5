import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/data/folder.ts';
import { cached } from './cached.ts';

const folder = temporaryFolder();
const content = Buffer.from('a runtime');
const integrity = `sha512-${new Bun.CryptoHasher('sha512').update(content).digest('base64')}`;
const never = () => Promise.reject(new Error('it was fetched'));

test('a file is fetched once, and again if it was damaged', async () => {
  expect(await cached('runtime', integrity, async () => content, folder)).toEqual(content);
  expect(await cached('runtime', integrity, never, folder)).toEqual(content);
  writeFileSync(join(folder, 'runtime'), 'another');
  await expect(cached('runtime', integrity, never, folder)).rejects.toThrow('it was fetched');
  expect(await cached('runtime', integrity, async () => content, folder)).toEqual(content);
});

test('a file with another digest is refused, and not kept', async () => {
  const other = () => cached('other', integrity, async () => Buffer.from('another'), folder);
  await expect(other()).rejects.toThrow(/other does not have the digest sha512-/);
  await expect(cached('other', integrity, never, folder)).rejects.toThrow('it was fetched');
});
