/** The names of the records that groups refer to. */
import { type Column, labelFieldOf } from '../../api/columns.ts';
import type { Collection } from '../../api/declarations.ts';
import { unquoted } from '../../api/json.ts';
import { readPage } from '../../api/pages.ts';
import { searchOf } from '../../api/query.ts';
import type { SummaryRow } from './rows.ts';

/** By their collection and id. */
export type Names = ReadonlyMap<string, string>;
/** A filter takes so many values. */
const idsAtOnce = 100;

export const nameKey = (to: string | undefined, id: string) => `${to}/${id}`;

/** Collections that the caller may not read have no names. */
export async function readNames(
  groups: readonly Column[],
  rows: readonly SummaryRow[],
  collections: readonly Collection[],
  signal: AbortSignal,
): Promise<Names> {
  const names = new Map<string, string>();
  for (const { name, field } of groups) {
    const target = collections.find((one) => field.type === 'reference' && one.name === field.to);
    const label = target && labelFieldOf(target);
    if (target === undefined || label === undefined) continue;
    const ids = new Set(rows.flatMap((row) => row.get(name) ?? []));
    ids.delete('null');
    for (let at = 0; at < ids.size; at += idsAtOnce) {
      const value = [...ids].slice(at, at + idsAtOnce).join(',');
      const search = searchOf({ filters: [{ field: 'id', operator: 'in', value }], sort: [], fields: ['id', label] });
      const page = await readPage(`/api/v2/${target.name}?${search}&limit=${idsAtOnce}`, signal);
      for (const { id, values } of page.rows) {
        const text = values.get(label) ?? 'null';
        if (text !== 'null') names.set(nameKey(target.name, id), unquoted(text));
      }
    }
  }
  return names;
}
