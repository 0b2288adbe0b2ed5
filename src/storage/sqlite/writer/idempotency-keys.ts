/** The results that are stored with idempotency keys, and with the batches of imported files. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { Once } from '../../../domain/store/once.ts';
import type { RepeatedRow } from '../../rows/idempotency-key.ts';
import { momentBefore } from './clock.ts';

type Found = { readonly digest: string; readonly at: string; readonly record_seq: number; readonly record: string };

export type IdempotencyKeys = ReturnType<typeof openKeys>;

export function openKeys(db: Database) {
  const find = db.prepare<Found, [string, string]>(
    'select digest, at, record_seq, record from idempotency_keys where collection = ? and key = ?',
  );
  const insert = db.prepare<unknown, SQLQueryBindings[]>(
    'insert or replace into idempotency_keys values (?, ?, ?, ?, ?, ?)',
  );

  /** Undefined if there is none, or it has expired. */
  function found(collection: string, key: string, keptMs: number, now: string): Found | undefined {
    const row = find.get(collection, key);
    return row === null || row.at < momentBefore(now, keptMs) ? undefined : row;
  }

  return {
    found,
    /** The earlier result under this key; undefined if there is none. */
    earlier(collection: string, once: Once | undefined, now: string): RepeatedRow | 'mismatch' | undefined {
      if (once === undefined) return undefined;
      const row = found(collection, once.key, once.keptMs, now);
      if (row === undefined) return undefined;
      if (row.digest !== once.digest && row.digest !== once.former) return 'mismatch';
      return { repeated: row.record_seq, at: row.at, json: row.record };
    },
    store(
      collection: string,
      { key, digest }: Pick<Once, 'key' | 'digest'>,
      at: string,
      recordId: number,
      result: string,
    ): void {
      insert.run(collection, key, digest, at, recordId, result);
    },
    close(): void {
      find.finalize();
      insert.finalize();
    },
  };
}
