/** How a table is looked at: its address has the filters, the order, the columns and the density. A view with a name is kept by the browser. */
import { parseQuery, type Query, searchOf } from '../api/query.ts';
import { address, go, hrefOf } from './address.ts';
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

/** The address of a table has it. A choice is remembered, too, unless it is that of a link; going back would not undo it. */
export function toggleDensity(): void {
  const { path, search } = address.value;
  const [collection = '-', second] = path;
  const isTable = collection !== '-' && second !== 'summary';
  const given = isTable ? densityIn(search) : undefined;
  const next = (given ?? density.value) === 'compact' ? 'comfortable' : 'compact';
  if (given === undefined || given === density.value) density.value = next;
  if (isTable) go(hrefOf(path, viewSearch(parseQuery(search), next)), 'replace');
}

/** Everything of the view, also what the address leaves to the person. */
export function wholeView(query: Query, rows: Density | undefined): string {
  return viewSearch(query, rows ?? density.value);
}
