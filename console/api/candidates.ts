/** Records of a collection that a person may mean: by their title in any case, by the beginnings of its words, or by id. */
import { labelFieldOf } from './columns.ts';
import type { Collection } from './declarations.ts';
import { unquoted } from './json.ts';
import { readPage } from './pages.ts';
import { type Filter, newestFirst, searchOf } from './query.ts';
import { searchedFields } from './text-search.ts';

export type Candidate = { readonly id: string; readonly title: string };

export async function candidates(
  target: Collection,
  typed: string,
  most: number,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const words = typed.trim();
  const byId = /^[1-9]\d{0,18}$/.test(words)
    ? await search(target, [{ field: 'id', operator: 'eq', value: words }], 1, signal)
    : [];
  const label = labelFieldOf(target);
  if (label === undefined) return byId;
  const byTitle = await search(target, words === '' ? [] : [titleFilter(target, label, words)], most, signal);
  return [...byId, ...byTitle.filter(({ id }) => id !== byId[0]?.id)].slice(0, most);
}

/** Words that are indexed are found without reading every record. */
function titleFilter(target: Collection, field: string, text: string): Filter {
  const beginnings = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (!searchedFields(target).includes(field) || beginnings.length === 0)
    return { field, operator: 'contains_ci', value: text };
  return { field, operator: 'words', value: beginnings.map((word) => `${word}*`).join(' ') };
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
    return { id, title: value === 'null' ? `${target.singular} ${id}` : unquoted(value) };
  });
}
