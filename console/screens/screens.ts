/** Which screen an address shows. */
import { type FunctionComponent, h } from 'preact';
import type { Collection } from '../api/declarations.ts';
import { Home } from './home.tsx';
import { Table } from './table.tsx';
import { tools } from './tools.ts';

export type Screen = {
  readonly title: string;
  readonly View: FunctionComponent;
  /** A screen with another key starts anew. */
  readonly key: string;
};

/** Undefined if there is none. */
export function screenOf(path: readonly string[], collections: readonly Collection[]): Screen | undefined {
  const [first, second] = path;
  if (first === undefined) return { title: 'Home', View: Home, key: '' };
  if (first === '-') {
    const tool = path.length === 2 ? tools.find(({ name }) => name === second) : undefined;
    return tool === undefined ? undefined : { title: tool.title, View: tool.View, key: tool.name };
  }
  const collection = collections.find(({ name }) => name === first);
  if (collection === undefined || path.length > 2) return undefined;
  return { ...tableOf(collection), title: titleOf(collection, second) };
}

function titleOf({ name, title, singular }: Collection, id: string | undefined): string {
  if (id === undefined) return title ?? name;
  return id === 'new' ? `New ${singular}` : `${singular} ${id}`;
}

const tables = new WeakMap<Collection, Omit<Screen, 'title'>>();

/** The same for every record of the collection, so that the table stays while one is open. */
function tableOf(collection: Collection): Omit<Screen, 'title'> {
  const screen = tables.get(collection) ?? {
    View: () => h(Table, { collection }),
    key: collection.name,
  };
  tables.set(collection, screen);
  return screen;
}
