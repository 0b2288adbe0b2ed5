/** The client: a collection under each name. */
import type { ShelfClient } from './api.ts';
import { byName } from './by-name.ts';
import { follow } from './changes.ts';
import { Collection } from './collection.ts';
import { Declarations } from './declarations.ts';
import { type ClientOptions, Sender } from './send/sender.ts';
import type { AnyShelf, ShelfTypes } from './shape.ts';
import { type Collect, transact } from './transaction.ts';

/**
 * A client for one server. `Shelf` is the interface that `shelf types` writes; without it, records have fields of any type.
 * Nothing is sent before the first call.
 *
 * @example
 * const shelf = createClient<Shelf>({ url: 'http://127.0.0.1:8000', key: process.env.SHELF_KEY });
 * const { data } = await shelf.books.list({ limit: 10 });
 */
export function createClient<Shelf extends ShelfTypes<Shelf> = AnyShelf>(options: ClientOptions): ShelfClient<Shelf> {
  const declarations = new Declarations(new Sender(options));
  const client = byName(
    [
      ['changes', (how = {}) => follow(declarations, undefined, how)],
      ['transaction', (collect: Collect, how = {}) => transact(declarations, collect, how)],
    ],
    (name) => new Collection(name, declarations),
  );
  // `Collection` has the methods of `CollectionClient`, for any collection.
  return client as unknown as ShelfClient<Shelf>;
}
