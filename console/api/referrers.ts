/** The fields of other collections, and of its own, that refer to a collection, and the records that refer to some of its records. */
import { countOf } from './count.ts';
import type { Collection, FieldDeclaration } from './declarations.ts';
import { readPage } from './pages.ts';
import { searchOf } from './query.ts';

export type Referrer = {
  readonly collection: Collection;
  readonly field: string;
  readonly onDelete: NonNullable<FieldDeclaration['on_delete']>;
};

/** Filters take at most so many values together. */
const idsAtOnce = 100;
/** The most that the server gives on a page. */
const mostOfPage = 1000;

export function referrersOf({ name }: Collection, collections: readonly Collection[]): readonly Referrer[] {
  return collections.flatMap((collection) =>
    Object.entries(collection.fields)
      .filter(([, { to }]) => to === name)
      .map(([field, { on_delete: onDelete = 'restrict' }]) => ({ collection, field, onDelete })),
  );
}

/** As digits. */
export function referringCount({ collection, field }: Referrer, id: string, signal: AbortSignal): Promise<string> {
  return countOf(collection.name, searchOf({ filters: [{ field, operator: 'eq', value: id }], sort: [] }), signal);
}

/**
 * Why these records cannot be deleted, for people; undefined if nothing is known against it. Those that refer to each other are
 * deleted together.
 */
export async function whyKept(
  target: Collection,
  ids: readonly string[],
  collections: readonly Collection[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const chosen = new Set(ids);
  for (const referrer of referrersOf(target, collections).filter(({ onDelete }) => onDelete === 'restrict'))
    for (let at = 0; at < ids.length; at += idsAtOnce) {
      const found = await keeping(referrer, ids.slice(at, at + idsAtOnce), signal);
      const own = referrer.collection.name === target.name;
      const [first, ...more] = found.filter(([id]) => !own || !chosen.has(id));
      if (first !== undefined)
        return sentence(target, referrer, first[1], more.filter(([, to]) => to === first[1]).length);
    }
  return undefined;
}

/** The records that refer to one of these, each with the id that it refers to. */
async function keeping(
  { collection: { name }, field }: Referrer,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly [id: string, to: string])[]> {
  const filters = [{ field, operator: 'in', value: ids.join(',') }];
  const search = searchOf({ filters, sort: [], fields: ['id', field] });
  const { rows } = await readPage(`/api/v2/${name}?${search}&limit=${mostOfPage}`, signal);
  return rows.map(({ id, values }) => [id, values.get(field) ?? '']);
}

function sentence({ singular }: Collection, { collection, field }: Referrer, id: string, more: number): string {
  const who =
    more === 0
      ? `1 ${collection.singular} refers`
      : `${more + 1}${more + 1 === mostOfPage ? ' or more' : ''} ${collection.name} refer`;
  return `The ${singular} ${id} cannot be deleted: ${who} to it by ${field}. Delete or change ${more === 0 ? 'it' : 'them'} first.`;
}
