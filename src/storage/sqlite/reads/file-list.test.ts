/** Spool files and snapshots of a list that is read from the file. */
import { Database } from 'bun:sqlite';
import { expect, spyOn, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { create } from '../../../../test/support/data/writes.ts';
import { items } from '../../../collections/items.ts';
import { users } from '../../../collections/users.ts';
import { Spool } from '../../bulk/spool.ts';
import type { ClientSpool } from '../../bulk/spool-limits.ts';
import { migrate } from '../schema/schema.ts';
import { connect } from '../statements/connection.ts';
import { openWriter } from '../writer/writer.ts';
import { FileList } from './file-list.ts';

const folder = temporaryFolder();

/** Counts all bytes that were ever spooled. */
class CountingSpool implements ClientSpool {
  spooled = 0;

  spool(bytes: number): void {
    this.spooled += bytes;
  }

  giveBack(): void {}
}

const newSpool = () => new CountingSpool();

/** A file whose list of items has several parts, without a table of users. */
function newFile(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  const db = connect(path);
  db.transaction(() => migrate(db, [items], path)).immediate();
  const writer = openWriter(db, [items]);
  writer.apply(Array.from({ length: 10 }, (_, n) => create(0, `{"id":${n},"name":"${'x'.repeat(20_000)}","price":1}`)));
  writer.close();
  db.close(true);
  return path;
}

async function textOf(list: FileList): Promise<string> {
  let text = '';
  for (let part = await list.next(); part !== undefined; part = await list.next()) text += Buffer.from(part);
  await list.close();
  return text;
}

test('a list that is closed while it is spooled writes nothing more to the disk', async () => {
  const clientSpool = newSpool();
  const list = new FileList(newFile('closed.db'), items, folder, clientSpool);
  list.setAside();
  await list.close();
  expect(clientSpool.spooled).toBe(0);
});

test('a list that is read to its end is spooled completely', async () => {
  const clientSpool = newSpool();
  const list = new FileList(newFile('read.db'), items, folder, clientSpool);
  list.setAside();
  let bytes = 0;
  for (let part = await list.next(); part !== undefined; part = await list.next()) bytes += part.length;
  expect(bytes).toBeGreaterThan(200_000);
  expect(clientSpool.spooled).toBe(bytes);
  await list.close();
});

test('a list is complete, also if its rest is written just after the reader found no data', async () => {
  const path = newFile('late.db');
  const whole = await textOf(new FileList(path, items, folder, newSpool()));
  const list = new FileList(path, items, folder, newSpool());
  const { read, write } = Spool.prototype;
  let written = 0;
  const writing = spyOn(Spool.prototype, 'write').mockImplementation(async function (this: Spool, bytes) {
    await write.call(this, bytes);
    written += bytes.length;
  });
  const reading = spyOn(Spool.prototype, 'read').mockImplementationOnce(async () => {
    while (written < whole.length) await Bun.sleep(1);
    return undefined;
  });
  reading.mockImplementation(read);
  try {
    list.setAside();
    expect((await textOf(list)) === whole).toBe(true);
  } finally {
    writing.mockRestore();
    reading.mockRestore();
  }
});

test('a spooled list holds no snapshot while it is read, so the WAL can be truncated', async () => {
  const path = newFile('spooled.db');
  const list = new FileList(path, items, folder, newSpool());
  list.setAside();
  let part = await list.next();
  // The reader stops after the first part, which is available before the last one is written.
  const db = connect(path);
  const writer = openWriter(db, [items]);
  writer.apply([create(0, '{"id":7,"name":"n","price":1}')]);
  writer.close();
  using other = new Database(path);
  using checkpoint = other.prepare<{ busy: number }, []>('pragma wal_checkpoint(truncate)');
  while (part !== undefined && checkpoint.get()?.busy !== 0) await Bun.sleep(5);
  expect(checkpoint.get()?.busy).toBe(0);
  while (part !== undefined) part = await list.next();
  await list.close();
  db.close(true);
});

test('a reader of a list that can be neither spooled nor closed gets an error, and does not wait', async () => {
  const list = new FileList(newFile('stuck.db'), items, folder, newSpool());
  const writing = spyOn(Spool.prototype, 'write').mockImplementation(() => Promise.reject(new Error('ENOSPC')));
  const { close } = Database.prototype;
  const closing = spyOn(Database.prototype, 'close').mockImplementationOnce(function (this: Database) {
    close.call(this);
    throw new Error('EIO');
  });
  try {
    list.setAside();
    await expect(textOf(list)).rejects.toThrow('EIO');
    await list.close();
  } finally {
    writing.mockRestore();
    closing.mockRestore();
  }
});

test.each<[string, (path: string) => unknown]>([
  [
    'fails at its start',
    (path) => expect(() => new FileList(path, users, folder, newSpool())).toThrow('no such table: users'),
  ],
  [
    'is closed before its end',
    async (path) => {
      const list = new FileList(path, items, folder, newSpool());
      await list.next();
      await list.close();
    },
  ],
])('a list that %s holds no snapshot, so the WAL can be truncated', async (name, use) => {
  const path = newFile(`${name}.db`);
  const db = connect(path);
  await use(path);
  const writer = openWriter(db, [items]);
  writer.apply([create(0, '{"id":7,"name":"n","price":1}')]);
  writer.close();
  using other = new Database(path);
  using checkpoint = other.prepare<{ busy: number }, []>('pragma wal_checkpoint(truncate)');
  expect(checkpoint.get()?.busy).toBe(0);
  db.close(true);
});
