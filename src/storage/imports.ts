/** The batches of an import: those that are in already, and what becomes of the others. The same in every engine. */
import type { Bulked, ImportBatch, Imported } from '../domain/store.ts';
import type { LineRange } from './spool.ts';

/** `created`, `first` and `last` are of the records that were added now. */
export type ImportDone = Bulked & { readonly batches: readonly Imported[] };

/** Undefined for a batch that is not in. */
export type Known = Imported | undefined;

/** An Idempotency-Key that a client sends has no quotes, so it is never one of these. */
export function importKey({ key }: ImportBatch): string {
  return `"import"/${key}`;
}

/** In the place of a digest: the key itself is one. */
export const importDigest = 'import';

/** What is stored with the key of a batch. One without records is not in: `isAgain` has replaced what was noted before. */
export function knownOf(at: string, noted: string, existing: (batch: Bulked) => number): Known {
  const batch = JSON.parse(noted) as Bulked;
  return batch.created === 0 ? undefined : { ...batch, earlier: { at, existing: existing(batch) } };
}

/** The records of the batches that are in, which are not added. */
export function presentLines(batches: readonly ImportBatch[], known: readonly Known[]): LineRange[] {
  let to = 0;
  return batches.flatMap(({ records }, place) => {
    const from = to;
    to += records;
    return known[place] === undefined ? [] : [{ from, to }];
  });
}

/** What became of each batch. The records of all that were added have consecutive numbers, from `first` on. */
export function importedOf(batches: readonly ImportBatch[], known: readonly Known[], first: number): Imported[] {
  let next = first;
  return batches.map(({ records: created }, place) => {
    const earlier = known[place];
    if (earlier !== undefined) return earlier;
    const added = { created, first: next, last: next + created - 1 };
    next += created;
    return added;
  });
}
