/** A bulk whose COPY and answers are the test's. */
import { describe, expect, test } from 'bun:test';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { items } from '../../../collections/items.ts';
import { SeenChanges } from '../primary/seen-changes.ts';
import { copyTable } from '../statements/copy-table.ts';
import { copyAll } from './copy-bulk.ts';

const count = 1200;
const text = Array.from({ length: count }, (_, n) => `{"name":"item ${n}","price":1}\n`).join('');
const path = join(temporaryFolder(), 'records');
writeFileSync(path, text);

/** The table has records up to the number `before`; the sequence skips `lost` numbers, and shows the last one if `isSeen`. */
async function copied(before: number, { lost = 0, isSeen = true } = {}) {
  const table = copyTable(items);
  if (table === undefined) throw new Error('items refer to no items');
  let last = before;
  let turns = 0;
  let isOver = false;
  const takeTurns = () => {
    turns++;
    if (!isOver) setImmediate(takeTurns);
  };
  takeTurns();
  const copies: { readonly into: string; readonly rows: Buffer }[] = [];
  try {
    const bulked = await copyAll(
      {
        writeFunction: 'write',
        noticed: new SeenChanges(() => {}),
        mayGoOn: async () => {},
        async copy(into, encoded) {
          const rows = Buffer.concat(await Promise.all(encoded));
          if (into === table.into) last += recordsIn(rows) + (last === before && !isSeen ? 0 : lost);
          copies.push({ into, rows });
        },
        async ask(statement, [limit] = []) {
          if (statement.startsWith('select write')) return [['{"at":"2026-11-16T11:51:04.123Z","epoch":null}']];
          if (statement === table.lastAssigned) return [[isSeen ? String(before) : null]];
          return statement === table.lastNumbers ? [[last - Number(limit) + 1, last]] : [['null']];
        },
      },
      {
        to: 'items',
        table,
        by: undefined,
        spooled: { fd: openSync(path, 'r'), size: text.length },
        once: undefined,
        isDry: false,
      },
    );
    return { bulked, copies, turns };
  } finally {
    isOver = true;
  }
}

const recordsIn = (rows: Buffer) => rows.toString('latin1').split('item ').length - 1;

describe.each([
  ['are known', true, [count]],
  ['are shown by the first records', false, [500, count - 500]],
])('where the numbers %s', (_, isSeen, parts) => {
  test('changes have those of their records, and are encoded before the records are stored', async () => {
    const { bulked, copies } = await copied(41, { isSeen });
    expect(bulked).toMatchObject({ created: count, first: 42, last: 41 + count });
    expect(copies.map(({ into, rows }) => [into.split(' ')[0], recordsIn(rows)])).toEqual(
      parts.flatMap((records) => [
        ['"items"', records],
        ['changes', records],
      ]),
    );
    const changes = copies.filter(({ into }) => into.startsWith('changes')).map(({ rows }) => rows.toString());
    const numbers = changes.flatMap((rows) => [...rows.matchAll(/"id":(\d+),"name":"item (\d+)"/g)]);
    expect(numbers.map(([, id, item]) => [Number(id), Number(item)])).toEqual(
      Array.from({ length: count }, (_, n) => [42 + n, n]),
    );
  });

  test('a bulk whose records got other numbers is not added', async () => {
    await expect(copied(41, { isSeen, lost: 1 })).rejects.toThrow('the last number is 1242, expected 1241');
  });
});

test('other requests get their turn while records are encoded', async () => {
  // Two rows for each record, 200 at a time.
  expect((await copied(1)).turns).toBeGreaterThanOrEqual(12);
});
