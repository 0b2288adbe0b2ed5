/** How a table is looked at: its address has the filters, the order, the columns and the density. A view with a name is kept by the browser. */
import { type Query, searchOf } from '../api/query.ts';
import { type Density, density, isDensity } from './density.ts';
import { perCollection } from './preferences.ts';

export type View = { readonly name: string; readonly search: string };

const isViews = (value: unknown): value is readonly View[] =>
  Array.isArray(value) && value.every((one) => typeof one?.name === 'string' && typeof one.search === 'string');

export const viewsOf = perCollection<readonly View[]>('views', [], isViews);

/** No field has such a name, so it is no filter. */
const densityName = '-density';

/** That of the address; undefined if it leaves it to the person. */
export function densityIn(search: string): Density | undefined {
  const value = new URLSearchParams(search).get(densityName);
  return isDensity(value) ? value : undefined;
}

export function viewSearch(query: Query, rows: Density | undefined): string {
  const search = searchOf(query);
  return rows === undefined ? search : `${search}${search === '' ? '' : '&'}${densityName}=${rows}`;
}

/** Everything of the view, also what the address leaves to the person. */
export function wholeView(query: Query, rows: Density | undefined): string {
  return viewSearch(query, rows ?? density.value);
}
