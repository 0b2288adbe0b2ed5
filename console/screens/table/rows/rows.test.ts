import { expect, test } from 'bun:test';
import type { Page, Row } from '../../../api/pages.ts';
import { type RowSource, Rows } from './rows.ts';

const row = (id: number, version = 1): Row => ({
  id: String(id),
  version: String(version),
  values: new Map([['id', String(id)]]),
});
const compare = (one: Row, other: Row) => Number(one.id) - Number(other.id);

/** A server with a sorted list, whose answers wait until they are let through. */
class Server {
  ids: number[];
  readonly limits: number[] = [];
  #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.ids = Array.from({ length: count }, (_, place) => (place + 1) * 10);
  }

  read = async (cursor: string | undefined, limit: number): Promise<Page> => {
    this.limits.push(limit);
    const after = this.ids.filter((id) => cursor === undefined || id > Number(cursor));
    const rows = after.slice(0, limit).map((id) => row(id));
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { rows, next: after.length > limit ? rows.at(-1)?.id : undefined };
  };

  /** Lets all answers through, and those that are asked for then. */
  async settle(): Promise<void> {
    while (this.#waiting.length > 0) {
      for (const resolve of this.#waiting.splice(0)) resolve();
      await Bun.sleep(0);
    }
  }
}

function started(source: RowSource): Rows {
  const rows = new Rows(source);
  rows.start();
  return rows;
}

const shown = (rows: Rows, from: number, to: number) =>
  Array.from({ length: to - from }, (_, place) => rows.at(from + place)?.id);
const idsOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, place) => String((from + place + 1) * 10));

test('pages are read as they come into view', async () => {
  const server = new Server(1000);
  const rows = started({ read: server.read, compare });
  expect(rows.at(0)).toBeUndefined();
  await server.settle();
  expect(shown(rows, 0, 30)).toEqual(idsOf(0, 30));
  // The first page is small, and the next one follows.
  expect(server.limits).toEqual([50, 200]);
  expect(rows.known).toBe(250);
  rows.show(200, 230);
  await server.settle();
  expect(shown(rows, 240, 260)).toEqual(idsOf(240, 260));
  for (let at = 200; at <= 1000; at += 100) {
    rows.show(at, at + 30);
    await server.settle();
  }
  expect(rows.isComplete).toBe(true);
  expect(rows.length).toBe(1000);
});

test('pages far away are let go, and read again exactly where they were', async () => {
  const server = new Server(8000);
  const rows = started({ read: server.read, compare });
  for (let at = 0; at <= 8000; at += 100) {
    rows.show(at, at + 30);
    await server.settle();
  }
  expect(rows.known).toBe(8000);
  expect(rows.at(0)).toBeUndefined();
  // Meanwhile rows appear and vanish in the first page.
  server.ids = [5, ...server.ids.filter((id) => id !== 20 && id !== 30)];
  rows.show(0, 30);
  await server.settle();
  expect(shown(rows, 0, 4)).toEqual(['5', '10', '40', '50']);
  rows.show(150, 210);
  await server.settle();
  expect(rows.at(198)?.id).toBe('2000');
  expect(rows.at(199)?.id).toBe('2010');
  expect(rows.known).toBe(7999);
});

test('a row that appears, changes or vanishes', async () => {
  const server = new Server(5);
  const rows = started({ read: server.read, compare });
  await server.settle();
  expect(rows.place(row(25))).toBe(true);
  expect(rows.place(row(99))).toBe(true);
  expect(rows.remove('30')).toBe(true);
  expect(rows.remove('30')).toBe(false);
  expect(shown(rows, 0, 6)).toEqual(['10', '20', '25', '40', '50', '99']);
  rows.place(row(20, 3));
  rows.place(row(20, 2));
  expect(rows.row('20')?.version).toBe('3');
  expect(rows.known).toBe(6);
});

test('the place of a row', async () => {
  const server = new Server(1000);
  const rows = started({ read: server.read, compare });
  await server.settle();
  rows.show(150, 180);
  await server.settle();
  expect([rows.indexOf('10'), rows.indexOf('2010'), rows.indexOf('9000')]).toEqual([0, 200, undefined]);
  rows.place(row(15));
  expect([rows.indexOf('10'), rows.indexOf('15'), rows.indexOf('2010')]).toEqual([0, 1, 201]);
  rows.remove('10');
  expect([rows.indexOf('10'), rows.indexOf('2010')]).toEqual([undefined, 200]);
});

test('a row beyond what was read is not added', async () => {
  const server = new Server(1000);
  const rows = started({ read: server.read, compare });
  await server.settle();
  expect(rows.place(row(9001))).toBe(false);
  expect(rows.place(row(1))).toBe(true);
  expect(rows.known).toBe(251);
});

test('what happens while a page is read is not lost', async () => {
  const server = new Server(3);
  const rows = started({ read: server.read, compare });
  rows.place(row(25));
  rows.remove('10');
  await server.settle();
  expect(shown(rows, 0, 4)).toEqual(['20', '25', '30', undefined]);
});

test('a failure is kept until it is tried again', async () => {
  let fails = true;
  const rows = started({
    read: async () => {
      if (fails) throw new Error('no');
      return { rows: [row(1)], next: undefined };
    },
    compare,
  });
  await Bun.sleep(0);
  expect(rows.failure).toBe('no');
  expect(rows.length).toBe(0);
  fails = false;
  rows.retry();
  await Bun.sleep(0);
  expect(rows.failure).toBeUndefined();
  expect(rows.known).toBe(1);
});

test('an empty list', async () => {
  const server = new Server(0);
  const rows = started({ read: server.read, compare });
  expect(rows.isEmpty).toBe(false);
  await server.settle();
  expect(rows.isEmpty).toBe(true);
  rows.place(row(1));
  expect(rows.isEmpty).toBe(false);
});

test('nothing is read before the start, and everything again after another one', async () => {
  const server = new Server(300);
  const rows = new Rows({ read: server.read, compare });
  rows.show(0, 30);
  expect(server.limits).toEqual([]);
  expect(rows.length).toBe(0);
  rows.start();
  expect(rows.length).toBeGreaterThan(0);
  server.ids = server.ids.filter((id) => id !== 10);
  // The first answer is late, and of no use.
  rows.start();
  await server.settle();
  expect(rows.at(0)?.id).toBe('20');
  expect(rows.known).toBe(250);
});

test('a row is sought page by page, as far as pages are kept', async () => {
  const server = new Server(6000);
  const rows = started({ read: server.read, compare });
  const seek = async (id: number) => {
    const found = rows.seek(row(id));
    let isDone = false;
    found.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await server.settle();
      await Bun.sleep(0);
    }
    return found;
  };
  expect(await seek(5000)).toBe(true);
  expect(rows.indexOf('5000')).toBe(499);
  expect(server.limits.length).toBe(4);
  // The pages up to its place have no such row.
  expect(await seek(15)).toBe(false);
  expect(server.limits.length).toBe(4);
  expect(await seek(59_990)).toBe(false);
  expect(server.limits.length).toBe(20);
});
