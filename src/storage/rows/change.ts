/** Rows of the change table, the same in every engine. */
import type { Collection } from '../../domain/record/collection.ts';
import type { Change } from '../../domain/store/change.ts';
import type { History } from '../../domain/store/feed-history.ts';

/** Changes deleted in one transaction: few enough that no write waits long behind it. */
export const trimmedAtOnce = 5000;

export const changeColumns = [
  'seq',
  'collection',
  'type',
  'record_seq',
  'version',
  'created_at',
  'at',
  'updated_at',
  'record',
  'singular',
  'made_by',
] as const;

/** Values in the order of `changeColumns`. */
export type ChangeRow = readonly (string | number | bigint | null)[];

export function changesOf(collections: readonly Collection[], rows: readonly ChangeRow[]): Change[] {
  const byName = new Map(collections.map((collection) => [collection.name, collection]));
  return rows.map((row) => {
    const [changeNumber, name, type, recordId, version, createdAt, at, updatedAt, record, singular, by] = row;
    const collection = byName.get(String(name));
    if (collection === undefined) throw new Error(`change ${changeNumber} belongs to an unknown collection: ${name}`);
    const recorded = {
      recordId: Number(recordId),
      version: Number(version),
      createdAt: String(createdAt),
      updatedAt: String(updatedAt ?? at),
      json: String(record),
    };
    return {
      changeNumber: Number(changeNumber),
      type: type as Change['type'],
      at: String(at),
      by: by === null ? undefined : String(by),
      collection,
      singular: singular === null ? collection.singular : String(singular),
      record: recorded,
    };
  });
}

/** How far a read of changes has looked: to the end of its snapshot, unless there are more of them. `history` is of the same snapshot. */
export function reached(changes: readonly Change[], more: boolean, { last }: History): number {
  return more ? (changes.at(-1)?.changeNumber ?? 0) : last;
}
