/** The batches of an import: those that are in already, and what becomes of the others. The same in every engine. */

import type { Bulked, ImportBatch, Imported } from '../../domain/store/bulk.ts';
import type { Filter, Where } from '../../domain/where/where.ts';
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
  return stored(batch) === 0 ? undefined : { ...batch, earlier: { at } };
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

/** What became of each batch. The records of all that were added have consecutive numbers, from `first` on. `updates` is for an import with a key. */
export function importedOf(
  batches: readonly ImportBatch[],
  known: readonly Known[],
  first: number,
  updates?: BatchUpdates,
): Noted[] {
  let next = first;
  return batches.map(({ records }, place) => {
    const earlier = known[place];
    if (earlier !== undefined) return earlier;
    const updated = updates?.of(place) ?? 0;
    const created = records - updated;
    const added = { created, first: next, last: next + created - 1 };
    next += created;
    return updates === undefined ? added : { ...added, updated };
  });
}

/** The updates in each batch that was not in, by an import with a key. */
export class BatchUpdates {
  readonly #counts: number[];
  /** The batch of the last record, and its records that are still to come. */
  #place = -1;
  #left = 0;

  constructor(
    readonly batches: readonly ImportBatch[],
    readonly known: readonly Known[],
  ) {
    this.#counts = batches.map(() => 0);
  }

  /** What became of the next record. */
  add(isUpdate: boolean): void {
    while (this.#left === 0 && this.#place < this.batches.length) {
      this.#place++;
      if (this.known[this.#place] === undefined) this.#left = this.batches[this.#place]?.records ?? 0;
    }
    this.#left--;
    if (isUpdate) this.#counts[this.#place] = this.of(this.#place) + 1;
  }

  of(place: number): number {
    return this.#counts[place] ?? 0;
  }
}

function stored({ created, updated = 0 }: Bulked): number {
  return created + updated;
}

/** Records that are counted together: as many as an ordinary batch has, so that no count takes long. */
const countedTogether = 10_000;

type Total = (where: Where) => Promise<number>;

/** Counts the records that still exist of batches that were in. One count after the other: an import can have thousands of batches. */
export async function withExisting(batches: readonly Noted[], total: Total): Promise<Imported[]> {
  const existing = new Map<Noted, number>();
  // The records of one with a key have no consecutive numbers.
  const known = batches.filter(({ earlier, updated }) => earlier !== undefined && updated === undefined);
  await count(known, countedTogether, total, existing);
  return batches.map((batch) => {
    const { earlier, ...bulked } = batch;
    if (earlier === undefined) return bulked;
    return bulked.updated === undefined
      ? { ...bulked, earlier: { ...earlier, existing: existing.get(batch) ?? 0 } }
      : { ...bulked, earlier };
  });
}

/** Mostly all records of a run exist, or none: only otherwise are its parts counted. */
async function count(
  batches: readonly Noted[],
  atOnce: number,
  total: Total,
  existing: Map<Noted, number>,
): Promise<void> {
  for (const run of runsOf(batches, atOnce)) {
    const size = run.last - run.first + 1;
    const found = await total(recordsOf(run));
    if (run.batches.length > 1 && found > 0 && found < size)
      await count(run.batches, Math.floor(size / 2), total, existing);
    else for (const batch of run.batches) existing.set(batch, Math.min(found, batch.created));
  }
}

/** Batches whose records have consecutive numbers, from `first` to `last`. */
type Run = { readonly first: number; last: number; readonly batches: Noted[] };

/** A run has at most so many records, or one batch. */
function runsOf(batches: readonly Noted[], most: number): readonly Run[] {
  const runs: Run[] = [];
  for (const batch of batches) {
    const { first, last } = batch;
    const run = runs.at(-1);
    if (run !== undefined && run.last + 1 === first && last - run.first < most) {
      run.batches.push(batch);
      run.last = last;
    } else runs.push({ first, last, batches: [batch] });
  }
  return runs;
}

function recordsOf({ first, last }: Run): Filter[] {
  return [
    { field: 'id', operator: 'gte', values: [first] },
    { field: 'id', operator: 'lte', values: [last] },
  ];
}
