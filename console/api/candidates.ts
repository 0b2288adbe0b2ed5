/** Records of a collection that a person may mean: by their title in any case, by the beginnings of its words, or by id. */
import { labelFieldOf } from './columns.ts';
import type { Collection } from './declarations.ts';
import { unquoted } from './json.ts';
import { readPage } from './pages.ts';
import { type Filter, newestFirst, searchOf } from './query.ts';
import { searchedFields } from './text-search.ts';

export type Candidate = { readonly id: string; readonly title: string };

/** `everywhere`: also by words of the other fields that are searched. */
export async function candidates(
  target: Collection,
  typed: string,
  most: number,
  signal: AbortSignal,
  everywhere = false,
): Promise<readonly Candidate[]> {
  const words = typed.trim();
  const lists = await Promise.all(
    filtersFor(target, words, everywhere).map((filter) =>
      // One that is refused, such as a search that takes too long, hides nothing that another has found.
      search(target, filter === undefined ? [] : [filter], most, signal).catch(() => []),
    ),
  );
  signal.throwIfAborted();
  return [...new Map(lists.flat().map((candidate) => [candidate.id, candidate])).values()].slice(0, most);
}

/** What to search by, one after the other; undefined for the newest. */
function filtersFor(target: Collection, words: string, everywhere: boolean): readonly (Filter | undefined)[] {
  const label = labelFieldOf(target);
  if (words === '') return [undefined];
  const searched = searchedFields(target);
  // Beginnings, because a person is still typing. Words that are indexed are found without reading every record.
  const beginnings = (words.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `${word}*`).join(' ');
  const isIndexed = label !== undefined && searched.includes(label) && beginnings !== '';
  const byTitle = isIndexed
    ? { field: label, operator: 'words', value: beginnings }
    : label === undefined
      ? []
      : { field: label, operator: 'contains_ci', value: words };
  return [
    ...(/^[1-9]\d{0,17}$/.test(words) ? [{ field: 'id', operator: 'eq', value: words }] : []),
    ...[byTitle].flat(),
    ...(everywhere && searched.length > 0 && beginnings !== ''
      ? [{ field: 'words', operator: 'eq', value: beginnings }]
      : []),
  ];
}

async function search(
  target: Collection,
  filters: readonly Filter[],
  most: number,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const label = labelFieldOf(target);
  const fields = ['id', ...(label === undefined ? [] : [label])];
  const query = searchOf({ filters, sort: filters.length === 0 ? [newestFirst] : [], fields });
  const { rows } = await readPage(`/api/v2/${target.name}?${query}&limit=${most}`, signal);
  return rows.map(({ id, values }) => {
    const value = values.get(label ?? '') ?? 'null';
    return { id, title: value === 'null' || value === '""' ? `${target.singular} ${id}` : unquoted(value) };
  });
}
