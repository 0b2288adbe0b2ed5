/** Fills a new database through the store itself, which is faster than HTTP. */

import { items } from '../../../src/collections/items.ts';
import { collections } from '../../../src/collections/registry.ts';
import { everybody } from '../../../src/domain/store/writes.ts';
import { openEngine } from '../../../src/storage/open.ts';
import { withCache } from '../servers/engine.ts';

/** A bulk is one transaction, and SQLite's log has all of it. */
const atOnce = 1_000_000;

/** Items 2 to `count`, after the first record; their names have at least `nameLength` characters. */
export async function seed(path: string, count: number, nameLength = 0): Promise<void> {
  const store = openEngine({ kind: 'sqlite', path }, collections, withCache(0));
  for (let next = 2; next <= count; ) {
    const bulk = await store.writes.bulk(everybody, items, '');
    for (const end = Math.min(count, next + atOnce - 1); next <= end; ) {
      const lines: string[] = [];
      for (; next <= end && lines.length < 1000; next++) {
        const name = `Item number ${next}`.padEnd(nameLength, '.');
        lines.push(items.encode({ id: BigInt(next), name, price: next + 0.5 }));
      }
      await bulk.add(lines);
    }
    await bulk.commit(undefined);
    await bulk.close();
  }
  await store.admin.close();
}
