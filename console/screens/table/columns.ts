/** The columns of a table: those of the address, or those that the person has chosen here before; their order and widths. */
import type { Signal } from '@preact/signals';
import { type Column, columnsOf, isNumeric } from '../../api/columns.ts';
import type { Collection } from '../../api/declarations.ts';
import type { Query } from '../../api/query.ts';
import { isNames, perCollection } from '../../state/preferences.ts';

const hiddenAtFirst: readonly string[] = ['version', 'created_at'];

/** The names that are hidden: a field that is declared later is shown. */
export const hiddenColumns = perCollection('hidden', hiddenAtFirst, isNames);
const columnOrder = perCollection<readonly string[]>('order', [], isNames);

type Widths = Readonly<Record<string, number>>;
const isWidths = (value: unknown): value is Widths =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'number');
/** In pixels, of the columns that the person has resized. */
const chosenWidths = perCollection<Widths>('widths', {}, isWidths);
export const widthsOf = ({ name }: Collection): Signal<Widths> => chosenWidths(name);

/** All columns, in the order of the person; a field that is declared later comes last. */
export function orderedColumns(collection: Collection): readonly Column[] {
  const order = columnOrder(collection.name).value;
  const placeOf = ({ name }: Column) => (order.includes(name) ? order.indexOf(name) : order.length);
  return columnsOf(collection).toSorted((one, other) => placeOf(one) - placeOf(other));
}

export function shownColumns(collection: Collection, { fields }: Query): readonly Column[] {
  if (fields === undefined) {
    const hidden = hiddenColumns(collection.name).value;
    return orderedColumns(collection).filter(({ name }) => !hidden.includes(name));
  }
  const columns = columnsOf(collection);
  return fields.flatMap((name) => columns.find((column) => column.name === name) ?? []);
}

/** Remembers which columns are shown, and in which order. */
export function rememberColumns(collection: Collection, names: readonly string[]): void {
  const hidden = orderedColumns(collection)
    .map(({ name }) => name)
    .filter((name) => !names.includes(name));
  hiddenColumns(collection.name).value = hidden;
  columnOrder(collection.name).value = [...names, ...hidden];
}

/** The names with one of them in the place of another. */
export function moved(names: readonly string[], name: string, place: number): readonly string[] {
  const at = names.indexOf(name);
  return at < 0 ? names : names.toSpliced(at, 1).toSpliced(Math.max(0, place), 0, name);
}

const presets: Readonly<Record<string, number>> = {
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
export const leastWidth = 48;
const mostWidth = 1200;
/** The space around a value. */
const padding = 20;

/** In pixels: the columns must not move while rows come and go. `digits` is the width of the longest number, which is never cut. */
export function widthOf({ name, field }: Column, chosen: number | undefined, digits: number): number {
  const least = isNumeric(field) && digits > 0 ? Math.ceil(digits) + padding : leastWidth;
  return Math.max(least, Math.min(chosen ?? presetOf(name, field), mostWidth));
}

function presetOf(name: string, field: Column['field']): number {
  if (name === 'id' || name === 'version') return 76;
  if (field.type === 'text' && Number(field.max ?? 1000) <= 20) return 140;
  return presets[field.type] ?? 180;
}
