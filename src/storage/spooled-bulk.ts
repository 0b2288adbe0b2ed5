/** A bulk: records are spooled to disk until all of them have arrived, then added together. */
import { Failure } from '../domain/errors.ts';
import type { Bulk, Bulked, Import, Once } from '../domain/store.ts';
import type { ImportDone } from './imports.ts';
import type { Room } from './room.ts';
import type { RepeatedRow } from './rows/idempotency-key.ts';
import { Spool, type Spooled } from './spool.ts';

/** `isDry`: the records are added, and that is taken back. `imported`: they are the batches of a file. */
export type BulkOrder = {
  readonly spooled: Spooled;
  readonly once: Once | undefined;
  readonly isDry: boolean;
  readonly imported?: Import;
};
export type BulkOutcome = Bulked | ImportDone | RepeatedRow | 'mismatch';

export type BulkPlace = { readonly folder: string; readonly room: Room; readonly client: string };

/** `add` adds all records in one transaction. Rejects with `overloaded` or `storage_unavailable`. */
export async function openBulk(
  { folder, room, client }: BulkPlace,
  add: (order: BulkOrder) => Promise<BulkOutcome>,
): Promise<Bulk> {
  const leave = room.enter('bulk', client);
  const spool = await Spool.open(folder, room.of(client)).catch((error) => {
    leave();
    return unavailable(error);
  });
  return {
    add: (records) => spool.write(Buffer.from(`${records.join('\n')}\n`)).catch(unavailable),
    async commit(once) {
      const outcome = await add({ spooled: spool.spooled, once, isDry: false });
      if (outcome === 'mismatch' || !('repeated' in outcome)) return outcome;
      return { repeated: JSON.parse(outcome.json) as Bulked };
    },
    async import(imported) {
      const outcome = await add({ spooled: spool.spooled, once: undefined, isDry: false, imported });
      if (outcome === 'mismatch' || !('batches' in outcome)) throw new Error('an import has batches');
      return outcome.batches;
    },
    async check() {
      const outcome = await add({ spooled: spool.spooled, once: undefined, isDry: true });
      if (outcome === 'mismatch' || 'repeated' in outcome) throw new Error('without a key nothing is repeated');
      return outcome.created;
    },
    async close() {
      await spool.close();
      leave();
    },
  };
}

/** Stored with the idempotency key, as the answer to a repeated request. */
export function encodeBulked({ created, first, last }: Bulked): string {
  return JSON.stringify({ created, first, last });
}

function unavailable(cause: unknown): never {
  throw new Failure('storage_unavailable', { cause });
}
