/** One collection read from SQLite, as encoded JSON. */
import type { Database } from 'bun:sqlite';
import type { Collection, Row } from '../../domain/collection.ts';
import type { Bytes } from '../../domain/store.ts';
import { readStatements } from './sql.ts';

/** What SQLite hands back: integers as bigint, so that none is rounded. */
type Stored = Record<string, string | number | bigint>;

export type Read = { readonly seq: number; readonly id: bigint; readonly json: string };
export type Reader = ReturnType<typeof openReader>;

const encoder = new TextEncoder();
const rowsPerPart = 1000;

export function openReader(db: Database, collection: Collection) {
  const sql = readStatements(collection);
  const page = db.prepare<Stored & { seq: bigint }, [number, number]>(sql.page).safeIntegers(true);
  const find = db.prepare<Stored, [bigint]>(sql.find).safeIntegers(true);
  const count = db.prepare<{ count: number }, []>(sql.count);
  const numbers = Object.keys(collection.fields).filter((key) => collection.fields[key]?.kind === 'number');

  /** A whole-numbered price is kept as an integer, and comes back as the double that it is. */
  function encode(stored: Stored): string {
    for (const key of numbers) stored[key] = Number(stored[key]);
    return collection.encode(stored as Row);
  }

  function after(seq: number, limit: number): Read[] {
    return page.all(seq, limit).map((stored) => ({
      seq: Number(stored.seq),
      id: stored.id as bigint,
      json: encode(stored),
    }));
  }

  return {
    /** At most `limit` records in insertion order, from the one after `seq` on. */
    after,

    find(id: bigint): Bytes | undefined {
      const stored = find.get(id);
      return stored === null ? undefined : encoder.encode(encode(stored));
    },

    count: (): number => count.get()?.count ?? 0,

    /** The list in parts, each read when it is asked for. */
    *parts(): Generator<Bytes, void> {
      let lead = '[';
      for (let rows = after(0, rowsPerPart); rows.length > 0; rows = after(rows.at(-1)?.seq ?? 0, rowsPerPart)) {
        yield encoder.encode(lead + rows.map(({ json }) => json).join(','));
        lead = ',';
      }
      yield encoder.encode(lead === '[' ? '[]' : ']');
    },

    close(): void {
      for (const statement of [page, find, count]) statement.finalize();
    },
  };
}
