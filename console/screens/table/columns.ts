/** Which columns a table shows: those of the address, or those that the person has chosen here before. */
import type { Signal } from '@preact/signals';
import { type Column, columnsOf } from '../../api/columns.ts';
import type { Collection } from '../../api/declarations.ts';
import type { Query } from '../../api/query.ts';
import { preference } from '../../state/preferences.ts';

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const preset: readonly string[] = ['version', 'created_at'];
const chosen = new Map<string, Signal<readonly string[]>>();

/** The names that are hidden: a field that is declared later is shown. */
export function hiddenColumns({ name }: Collection): Signal<readonly string[]> {
  const found = chosen.get(name) ?? preference(`hidden.${name}`, preset, isNames);
  chosen.set(name, found);
  return found;
}

export function shownColumns(collection: Collection, { fields }: Query): readonly Column[] {
  const hidden = hiddenColumns(collection).value;
  return columnsOf(collection).filter(({ name }) =>
    fields === undefined ? !hidden.includes(name) : fields.includes(name),
  );
}

const widths: Readonly<Record<string, number>> = {
  integer: 110,
  number: 110,
  decimal: 110,
  boolean: 90,
  date: 110,
  timestamp: 190,
  choice: 130,
  reference: 180,
  list: 170,
  json: 200,
  text: 220,
};

/** In pixels: the columns must not move while rows come and go. */
export function widthOf({ name, field }: Column): number {
  if (name === 'id' || name === 'version') return 84;
  if (field.type === 'text' && Number(field.max ?? 1000) <= 20) return 140;
  return widths[field.type] ?? 180;
}
