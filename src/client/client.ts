/** The client: a collection under each name. */
import type { ShelfClient } from './api.ts';
import { follow } from './changes.ts';
import { Collection } from './collection.ts';
import { Declarations } from './declarations.ts';
import { type ClientOptions, Sender } from './send/sender.ts';
import type { AnyShelf, ShelfTypes } from './shape.ts';

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
  const members = new Map<PropertyKey, unknown>([['changes', (how = {}) => follow(declarations, undefined, how)]]);
  const client = new Proxy(Object.freeze({}), {
    get(_, name) {
      // Names of collections start with a lower-case letter; a runtime asks for others, such as symbols.
      if (typeof name !== 'string' || !/^[a-z][a-z0-9_]*$/.test(name)) return undefined;
      if (!members.has(name)) members.set(name, new Collection(name, declarations));
      return members.get(name);
    },
  });
  // `Collection` has the methods of `CollectionClient`, for any collection.
  return client as unknown as ShelfClient<Shelf>;
}
