/** Deletes a record, and deletes or changes the records that refer to it, as `on_delete` says. */
import type { Database, Statement } from 'bun:sqlite';
import type { UnservedReference } from '../../../declarations/plan.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { type Clash, maxCascade } from '../../../domain/store/constraint-clash.ts';
import type { Stamp } from './clock.ts';
import type { StoredRow, TableWriter } from './table-writer.ts';
import { type Clashed, isClashed, type Other, type Removed } from './thread/outcome.ts';

/** A field of another table, or of the same, that refers to this one. `place` is -1 for a collection that is not served. */
type Dependent = {
  readonly place: number;
  readonly name: string;
  readonly field: string;
  readonly onDelete: 'restrict' | 'clear' | 'cascade';
  /** The records that refer to a record, up to a limit. */
  readonly find: Statement<{ seq: number }, [number, number]>;
  /** Counts the records that refer to a record, without those whose record ids are in a JSON array. */
  readonly count: Statement<{ count: number; first: number }, [number, string]>;
};

type Found = { readonly place: number; readonly recordId: number };

type Cleared = Found & { readonly field: string };

/** Thrown to take back what was cleared before. */
class Clears extends Error {
  constructor(
    readonly collection: string,
    readonly record: number,
    readonly field: string,
    readonly because: Clash,
  ) {
    super('a cleared reference clashes');
  }
}

export type Cascade = {
  /** `permitted` are the collections that may change; undefined for all. */
  remove(place: number, stored: StoredRow, permitted: readonly string[] | undefined, stamp: Stamp): Removed | Clashed;
  close(): void;
};

export function openCascade(
  db: Database,
  collections: readonly Collection[],
  unserved: readonly UnservedReference[],
  tableAt: (place: number) => TableWriter,
): Cascade {
  const opened = new Map<number, readonly Dependent[]>();

  function dependentsOf(place: number): readonly Dependent[] {
    const known = opened.get(place) ?? openDependents(nameAt(place));
    opened.set(place, known);
    return known;
  }

  function openDependents(name: string): readonly Dependent[] {
    const served = collections.flatMap(({ name: collection, references }, place) =>
      references.filter(({ to }) => to === name).map((reference) => ({ place, collection, ...reference })),
    );
    const others = unserved
      .filter(({ to }) => to === name)
      .map((reference) => ({ place: -1, onDelete: 'restrict' as const, ...reference }));
    return [...served, ...others].map(({ place, collection, field, onDelete }) => ({
      place,
      name: collection,
      field,
      onDelete,
      find: db.prepare(`select seq from ${identifier(collection)} where ${identifier(field)} = ? order by seq limit ?`),
      count: db.prepare(
        `select count(*) as count, min(seq) as first from ${identifier(collection)}
         where ${identifier(field)} = ? and seq not in (select value from json_each(?))`,
      ),
    }));
  }

  function nameAt(place: number): string {
    return collections[place]?.name ?? '';
  }

  /** The records to delete, dependents first; or `tooMany`. */
  function dependsOn(root: Found): readonly Found[] | { readonly tooMany: number } {
    const order: Found[] = [];
    const seen = new Set<string>();
    // A record is pushed twice: first to find its dependents, then to be deleted after them.
    const stack: (Found & { readonly visited: boolean })[] = [{ ...root, visited: false }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { place, recordId, visited } = next;
      if (visited) {
        order.push({ place, recordId });
        continue;
      }
      if (seen.has(keyOf(next))) continue;
      seen.add(keyOf(next));
      if (seen.size > maxCascade) return { tooMany: maxCascade };
      stack.push({ place, recordId, visited: true });
      for (const dependent of dependentsOf(place).toReversed()) {
        if (dependent.onDelete !== 'cascade') continue;
        for (const row of dependent.find.all(recordId, maxCascade + 1).toReversed())
          stack.push({ place: dependent.place, recordId: row.seq, visited: false });
      }
    }
    return order;
  }

  /** The first `restrict` clash: records that refer to a deleted record and are not deleted themselves. */
  function heldBy(gone: readonly Found[]): Clash | undefined {
    const among = new Map(
      [...Map.groupBy(gone, ({ place }) => place)].map(([place, some]) => [
        place,
        JSON.stringify(some.map(({ recordId }) => recordId)),
      ]),
    );
    for (const { place, recordId } of gone) {
      for (const { onDelete, find, count: counted, place: at, name, field } of dependentsOf(place)) {
        // Usually no record refers to it, and the more expensive count is not needed.
        if (onDelete !== 'restrict' || find.get(recordId, 1) === null) continue;
        const { count, first } = counted.get(recordId, among.get(at) ?? '[]') ?? { count: 0, first: 0 };
        if (count > 0) return { referencedBy: name, field, count, first };
      }
    }
    return undefined;
  }

  /** The references to clear: `clear` fields of records that are not deleted themselves. */
  function clearedBy(gone: readonly Found[]): readonly Cleared[] {
    const keys = new Set(gone.map(keyOf));
    return gone.flatMap(({ place, recordId }) =>
      dependentsOf(place)
        .filter(({ onDelete }) => onDelete === 'clear')
        .flatMap(({ place: at, field, find }) =>
          find.all(recordId, maxCascade + 1).map((row) => ({ place: at, recordId: row.seq, field })),
        )
        .filter((one) => !keys.has(keyOf(one))),
    );
  }

  function clashIn(
    gone: readonly Found[],
    cleared: readonly Found[],
    permitted: readonly string[] | undefined,
  ): Clash | undefined {
    const held = heldBy(gone);
    if (held !== undefined) return held;
    if (gone.length + cleared.length > maxCascade) return { tooMany: maxCascade };
    const forbidden = [...gone.slice(0, -1), ...cleared].find(
      ({ place }) => permitted?.includes(nameAt(place)) === false,
    );
    return forbidden === undefined ? undefined : { forbidden: nameAt(forbidden.place) };
  }

  /** Nested in the transaction of the batch, so SQLite makes it a savepoint. */
  const clearEach = db.transaction((cleared: readonly Cleared[], stamp: Stamp): Other[] =>
    cleared.flatMap(({ place, recordId, field }) => {
      const row = tableAt(place).get(recordId);
      if (row === null) return [];
      const outcome = tableAt(place).clear(row, field, stamp);
      if (!isClashed(outcome)) return [{ place, recordId, ...outcome }];
      const [because] = outcome.clashes;
      throw because === undefined
        ? new Error('there is no clash')
        : new Clears(nameAt(place), recordId, field, because);
    }),
  );

  /** All of them, or none. */
  function clearAll(cleared: readonly Cleared[], stamp: Stamp): Other[] | Clashed {
    try {
      return clearEach(cleared, stamp);
    } catch (error) {
      if (!(error instanceof Clears)) throw error;
      const { collection: clears, record, field, because } = error;
      return { clashes: [{ clears, record, field, because }] };
    }
  }

  return {
    remove(place, stored, permitted, stamp) {
      const table = tableAt(place);
      if (dependentsOf(place).length === 0) return table.drop(stored, stamp);
      const root = { place, recordId: Number(stored.seq) };
      const gone = dependsOn(root);
      if ('tooMany' in gone) return { clashes: [gone] };
      const cleared = clearedBy(gone);
      const clash = clashIn(gone, cleared, permitted);
      if (clash !== undefined) return { clashes: [clash] };
      const others = cleared.length === 0 ? [] : clearAll(cleared, stamp);
      if ('clashes' in others) return others;
      for (const { place: at, recordId } of gone.slice(0, -1)) {
        const row = tableAt(at).get(recordId);
        if (row !== null) others.push({ place: at, ...tableAt(at).drop(row, stamp) });
      }
      return { ...table.drop(stored, stamp), others };
    },
    close() {
      for (const { find, count } of [...opened.values()].flat()) for (const one of [find, count]) one.finalize();
    },
  };
}

function keyOf({ place, recordId }: Found): string {
  return `${place}:${recordId}`;
}
