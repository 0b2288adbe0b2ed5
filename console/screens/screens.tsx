/** Which screen an address shows. */
import type { VNode } from 'preact';
import type { Collection } from '../api/declarations.ts';
import type { OpenSession } from '../state/session.ts';
import { Home } from './home.tsx';
import { Summary } from './summary/summary.tsx';
import { Table } from './table.tsx';
import { tools } from './tools.ts';

type Screen = { readonly title: string; readonly view: VNode };

/** Undefined if there is none. */
export function screenOf(path: readonly string[], session: OpenSession): Screen | undefined {
  const [first, second] = path;
  if (first === undefined) return { title: 'Home', view: <Home session={session} /> };
  if (first === '-') {
    const tool = path.length === 2 ? tools().find(({ name }) => name === second) : undefined;
    return tool === undefined ? undefined : { title: tool.title, view: <tool.View session={session} /> };
  }
  const collection = session.collections.find(({ name }) => name === first);
  if (collection === undefined || path.length > 2) return undefined;
  if (second === 'summary')
    return {
      title: `Summary of ${collection.title ?? collection.name}`,
      view: <Summary key={collection.name} collection={collection} session={session} />,
    };
  // The key stays the same for every record of the collection, and so does the table while one is open.
  const table = <Table key={collection.name} collection={collection} session={session} />;
  return { title: titleOf(collection, second), view: table };
}

function titleOf({ name, title, singular }: Collection, id: string | undefined): string {
  if (id === undefined) return title ?? name;
  return id === 'new' ? `New ${singular}` : `${singular} ${id}`;
}
