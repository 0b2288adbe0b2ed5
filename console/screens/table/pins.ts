/** The columns that stay in sight while the others are scrolled: the id, and the title of the record. */
import { type Column, labelFieldOf } from '../../api/columns.ts';
import type { Collection } from '../../api/declarations.ts';

/** The classes of their cells. */
export type Pins = ReadonlyMap<string, string>;

/** They stay in the order in which they are shown. */
export function pinsOf(collection: Collection, columns: readonly Column[]): Pins {
  const title = labelFieldOf(collection);
  const names = columns.map(({ name }) => name).filter((name) => name === 'id' || name === title);
  return new Map(names.map((name, place) => [name, `pinned pin-${place}${place === names.length - 1 ? ' last' : ''}`]));
}

/** Where each is held, in pixels from the left. */
export function leftsOf(
  pins: Pins,
  first: number,
  widthOf: (name: string) => number,
): Readonly<Record<string, string>> {
  let left = first;
  const lefts: Record<string, string> = {};
  for (const [place, name] of [...pins.keys()].entries()) {
    lefts[`--pin-${place}`] = `${left}px`;
    left += widthOf(name);
  }
  return lefts;
}
