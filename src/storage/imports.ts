/** The batches of an import: those that are in already, and what becomes of the others. The same in every engine. */
import type { Filter } from '../domain/query.ts';
import type { Bulked, ImportBatch, Imported } from '../domain/store.ts';
import type { LineRange } from './spool.ts';

/** `earlier`: the batch was in already, since then. */
export type Noted = Bulked & { readonly earlier?: { readonly at: string } };

/** `created`, `first` and `last` are of the records that were added now. */
export type ImportDone = Bulked & { readonly batches: readonly Noted[] };

/** Undefined for a batch that is not in. */
export type Known = Noted | undefined;

/** An Idempotency-Key that a client sends has no quotes, so it is never one of these. */
export function importKey({ key }: ImportBatch): string {
  return `"import"/${key}`;
}

/** In the place of a digest: the key itself is one. */
export const importDigest = 'import';

/** What is stored with the key of a batch. One without records is not in: `isAgain` has replaced what was noted before. */
export function knownOf(at: string, noted: string): Known {
  const batch = JSON.parse(noted) as Bulked;
  return batch.created === 0 ? undefined : { ...batch, earlier: { at } };
}

/** No record is to be added. */
export function areIn(batches: readonly ImportBatch[], known: readonly Known[]): boolean {
  return batches.every(({ records }, place) => records === 0 || known[place] !== undefined);
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
export function importedOf(batches: readonly ImportBatch[], known: readonly Known[], first: number): Noted[] {
  let next = first;
  return batches.map(({ records: created }, place) => {
    const earlier = known[place];
    if (earlier !== undefined) return earlier;
    const added = { created, first: next, last: next + created - 1 };
    next += created;
    return added;
  });
}

/** Counts the records that still exist of batches that were in. One batch after the other: an import can have thousands. */
export async function withExisting(
  batches: readonly Noted[],
  total: (filters: readonly Filter[]) => Promise<number>,
): Promise<Imported[]> {
  const counted: Imported[] = [];
  for (const { earlier, ...batch } of batches) {
    if (earlier === undefined) counted.push(batch);
    else counted.push({ ...batch, earlier: { ...earlier, existing: await total(recordsOf(batch)) } });
  }
  return counted;
}

function recordsOf({ first, last }: Bulked): Filter[] {
  return [
    { field: 'id', operator: 'gte', values: [first] },
    { field: 'id', operator: 'lte', values: [last] },
  ];
}
