/**
 * Imports into a PostgreSQL whose tables are on a disk that fills. Its log is on another disk: without that it would stop. It is a
 * server of its own: while the disk is full no checkpoint succeeds, and other suites could not create a database.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, chownSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { importFile } from '../../src/cli/import-file/import-file.ts';
import { openDatabase } from '../../src/cli/import-file/target/database-target.ts';
import { items } from '../../src/collections/items.ts';
import { collections } from '../../src/collections/registry.ts';
import { onSmallDisk } from '../../torture/disk/small-disk.ts';
import { Cluster } from '../postgres/cluster.ts';
import { postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { seed } from '../support/data/seed.ts';
import { runExport, runImport } from '../support/servers/data-commands.ts';
import { defaults, engineOf, engineOptions } from '../support/servers/engine.ts';

const folder = temporaryFolder();
const diskMb = 32;
/** Tests run PostgreSQL as nobody, because it refuses to run as root. */
const nobody = 65534;
const rows = 12_000;

describe.skipIf(postgresUrl === undefined)('a full disk', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await new Cluster({ fsync: 'off' }).start();
  });
  afterAll(() => cluster?.remove());

  /** `use` gets a database on a small disk that is full until `makeRoom`. Skipped, and passed, where that cannot be made. */
  async function onFullDisk(use: (database: string, makeRoom: () => void) => Promise<void>): Promise<void> {
    const name = `shelf_disk_${crypto.randomUUID().replaceAll('-', '')}`;
    const disk = join(folder, name);
    chmodSync(folder, 0o755);
    mkdirSync(disk);
    const result = await onSmallDisk(disk, diskMb, async () => {
      chownSync(disk, nobody, nobody);
      await using admin = new SQL({ url: cluster.url(), max: 1 });
      await admin.unsafe(`create tablespace ${name} location '${disk}'`);
      try {
        await admin.unsafe(`create database ${name} template template0 encoding 'UTF8' tablespace ${name}`);
        const ballast = join(disk, 'ballast');
        const { bavail, bsize } = statfsSync(disk);
        // The tables of Shelf still fit.
        const leftMb = 2;
        writeFileSync(ballast, Buffer.alloc(bavail * bsize - leftMb * 1024 * 1024));
        await use(cluster.url(name), () => rmSync(ballast));
      } finally {
        await admin.unsafe(`drop database if exists ${name} with (force)`);
        await admin.unsafe(`drop tablespace ${name}`);
      }
      return { figures: {}, complaints: [] };
    });
    if ('skipped' in result) process.stderr.write(`skipped: ${result.skipped}\n`);
  }

  test('an import of a file waits for room, and adds every row once', () =>
    onFullDisk(async (database, makeRoom) => {
      const path = join(folder, 'items.csv');
      writeFileSync(path, `name,price\n${Array.from({ length: rows }, (_, n) => `Item ${n},${n}\n`).join('')}`);
      const target = await openDatabase('here', items, collections, {
        ...engineOptions,
        database: { ...defaults.database, url: engineOf(database) },
      });
      let [told, said] = ['', ''];
      const order = {
        from: path,
        collection: 'items',
        mapped: new Map(),
        isDry: false,
        isAtomic: false,
        isAgain: false,
        key: undefined,
        rejects: undefined,
        url: undefined,
        keyFile: undefined,
      };
      const code = await importFile(order, target, {
        maxRow: 1000,
        signal: new AbortController().signal,
        screen: {
          write: (text) => {
            told += text;
            if (text.includes('Waiting')) makeRoom();
          },
        },
        say: (line) => {
          said = line;
        },
      });
      await target.close();
      expect({ code, said }).toEqual({ code: 0, said: `Imported ${path} into items of here: 12,000 records added.` });
      expect(told).toContain('Waiting: The database cannot store this now');
      expect(told).toContain('No space left on device');
      await using sql = new SQL({ url: database, max: 1 });
      const [counts] = await sql`
      select count(*), count(distinct name), (select count(*) from changes where collection = 'items') from items
      where seq > 1`.values();
      expect(counts?.map(Number)).toEqual([rows, rows, rows + 1]);
    }));

  test('an import of an export leaves the database as it was, and can be repeated', async () => {
    const source = join(folder, 'source.db');
    const exported = join(folder, 'exported');
    await seed(source, rows);
    expect(await runExport(`sqlite:${source}`, exported)).toStartWith('Exported');
    await onFullDisk(async (database, makeRoom) => {
      expect(await runImport(database, exported)).toMatch(
        /^failed: The disk of \S+ is full: make room, and run the same command again\.$/,
      );
      makeRoom();
      expect(await runImport(database, exported)).toStartWith('Imported 12,001 records');
    });
  });
});
