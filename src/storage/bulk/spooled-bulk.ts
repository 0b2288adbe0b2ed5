/** A bulk: records are spooled to disk until all of them have arrived, then added together. */
import { Failure } from '../../domain/errors.ts';
import type { Bulk, Bulked, Import } from '../../domain/store/bulk.ts';
import type { Client, Requester } from '../../domain/store/client.ts';
import type { Once } from '../../domain/store/once.ts';
import type { Where } from '../../domain/where/where.ts';
import type { RepeatedRow } from '../rows/idempotency-key.ts';
import { type ImportDone, withExisting } from './imports.ts';
import { Spool, type Spooled } from './spool.ts';
import type { SpoolLimits } from './spool-limits.ts';

/** `isDry`: the records are added, and that is taken back. `imported`: they are the batches of a file. */
export type BulkOrder = {
  readonly spooled: Spooled;
  readonly once: Once | undefined;
  readonly isDry: boolean;
  readonly imported?: Import;
};
export type BulkOutcome = Bulked | ImportDone | RepeatedRow | 'mismatch';

export type BulkPlace = { readonly folder: string; readonly spoolLimits: SpoolLimits; readonly client: Client };

export type BulkEngine = {
  /** Adds all records in one transaction. */
  add(order: BulkOrder): Promise<BulkOutcome>;
  /** The number of records of the collection that match. */
  total(where: Where, requester: Requester): Promise<number>;
};

/** Rejects with `overloaded` or `storage_unavailable`. */
export async function openBulk({ folder, spoolLimits, client }: BulkPlace, { add, total }: BulkEngine): Promise<Bulk> {
  const leave = spoolLimits.enter('bulk', client);
  const spool = await Spool.open(folder, spoolLimits.of(client)).catch((error) => {
    leave();
    return unavailable(error);
  });
  return {
    add: (records) => spool.write(Buffer.from(`${records.join('\n')}\n`)).catch(unavailable),
    async commit(once) {
      const outcome = await add({ spooled: spool.spooled, once, isDry: false });
      if (outcome === 'mismatch') throw new Failure('key_reused');
      return 'repeated' in outcome
        ? { ...(JSON.parse(outcome.json) as Bulked), isRepeated: true }
        : { ...outcome, isRepeated: false };
    },
    async import(imported, signal) {
      const outcome = await add({ spooled: spool.spooled, once: undefined, isDry: false, imported });
      if (outcome === 'mismatch' || !('batches' in outcome)) throw new Error('an import has batches');
      try {
        // After the transaction: all writers wait for that.
        return await withExisting(outcome.batches, async (where) => {
          signal?.throwIfAborted();
          return await total(where, { client, signal });
        });
      } catch (error) {
        if (outcome.created === 0) throw error;
        // What was added stays, and the answer says so.
        return outcome.batches;
      }
    },
    async check() {
      const outcome = await add({ spooled: spool.spooled, once: undefined, isDry: true });
      if (outcome === 'mismatch' || 'repeated' in outcome) throw new Error('without a key nothing is repeated');
      return outcome;
    },
    async close() {
      await spool.close();
      leave();
    },
  };
}

/** Stored with the idempotency key, as the answer to a repeated request. */
export function encodeBulked({ created, first, last, updated }: Bulked): string {
  return JSON.stringify({ created, first, last, updated });
}

function unavailable(cause: unknown): never {
  throw new Failure('storage_unavailable', { cause });
}
