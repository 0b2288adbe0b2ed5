/** Fills a new database through the store itself, which is faster than HTTP. */
import { items } from '../src/collections/items.ts';
import { collections } from '../src/collections/registry.ts';
import { openEngine } from '../src/storage/open.ts';
import { withCache } from './engine.ts';

/** Items 2 to `count`, after the first record. */
export async function seed(path: string, count: number): Promise<void> {
  const store = openEngine({ kind: 'sqlite', path }, collections, withCache(0));
  const batch: Promise<unknown>[] = [];
  for (let n = 2; n <= count; n++) {
    const row = { id: BigInt(n), name: `Item number ${n}`, price: n + 0.5 };
    batch.push(store.append(items, items.encode(row), row.id));
    if (batch.length === 4000) await Promise.all(batch.splice(0));
  }
  await Promise.all(batch);
  await store.close();
}
