/** Commands for data on a disk that fills: one line says so, and everything is as it was. */
import { beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onSmallDisk } from '../../torture/disk/small-disk.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { seed } from '../support/data/seed.ts';
import { runExport, runImport, runMove, runRestore } from '../support/servers/data-commands.ts';

const folder = temporaryFolder();
const large = join(folder, 'large.db');
const small = join(folder, 'small.db');
const exported = join(folder, 'exported');
beforeAll(async () => {
  await seed(large, 30_000);
  await seed(small, 2);
  expect(await runExport(`sqlite:${large}`, exported)).toStartWith('Exported');
});

const full = /^failed: The disk of \S+ is full: make room, and run the same command again\.$/;

/** `use` gets a folder on a disk of 2 MB. The test is skipped, and passes, where no such disk can be made. */
async function onFullDisk(use: (disk: string) => Promise<void>): Promise<void> {
  const disk = join(folder, `disk-${crypto.randomUUID()}`);
  mkdirSync(disk);
  const result = await onSmallDisk(disk, 2, async () => {
    await use(disk);
    return { figures: {}, complaints: [] };
  });
  if ('skipped' in result) process.stderr.write(`skipped: ${result.skipped}\n`);
}

test('a move leaves no file', () =>
  onFullDisk(async (disk) => {
    expect(await runMove(`sqlite:${large}`, `sqlite:${join(disk, 'shelf.db')}`)).toMatch(full);
    expect(readdirSync(disk)).toEqual(['shelf.db-lock']);
  }));

test('an import leaves no file', () =>
  onFullDisk(async (disk) => {
    expect(await runImport(`sqlite:${join(disk, 'shelf.db')}`, exported)).toMatch(full);
    expect(readdirSync(disk)).toEqual(['shelf.db-lock']);
  }));

test('a merge leaves the database as it was', () =>
  onFullDisk(async (disk) => {
    const database = `sqlite:${join(disk, 'shelf.db')}`;
    expect(await runImport(database, firstTen())).toStartWith('Imported');
    expect(await runImport(database, exported, true)).toMatch(full);
    expect(await runExport(database, join(folder, 'after'))).toStartWith('Exported 11 records');
  }));

/** The same export with ten items alone. */
function firstTen(): string {
  const few = join(folder, 'few');
  cpSync(exported, few, { recursive: true });
  const items = readFileSync(join(few, 'items.ndjson'), 'utf8');
  const ten = `${items.split('\n').slice(0, 10).join('\n')}\n`;
  const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
  const manifest = readFileSync(join(few, 'manifest.json'), 'utf8');
  writeFileSync(join(few, 'items.ndjson'), ten);
  writeFileSync(
    join(few, 'manifest.json'),
    manifest.replace(sha256(items), sha256(ten)).replace('"records":30000', '"records":10'),
  );
  return few;
}

test('an export leaves no folder', () =>
  onFullDisk(async (disk) => {
    expect(await runExport(`sqlite:${large}`, join(disk, 'out'))).toMatch(full);
    expect(existsSync(join(disk, 'out'))).toBe(false);
  }));

test('a restore leaves the database as it was', () =>
  onFullDisk(async (disk) => {
    const path = join(disk, 'shelf.db');
    for (const end of ['', '-lock']) cpSync(small + end, path + end);
    const before = readFileSync(path);
    expect(await runRestore(path, large)).toMatch(full);
    expect(readdirSync(disk).sort()).toEqual(['shelf.db', 'shelf.db-lock']);
    expect(readFileSync(path)).toEqual(before);
  }));
