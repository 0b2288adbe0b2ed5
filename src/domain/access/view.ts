/** What a caller may see of one collection. Every read of a store asks for one, so that no route can forget whom it reads for. */
import type { Collection } from '../record/collection.ts';
import type { Where } from '../where/where.ts';

export type View = {
  readonly collection: Collection;
  /** Undefined for a caller that sees everything of the collection. */
  readonly sight: Sight | undefined;
};

export type Sight = {
  /** The records, as conditions on all fields of the collection. */
  readonly where: Where;
  /** The collection with the visible fields alone: bodies, queries and answers are read and written by it. */
  readonly seen: Collection;
  /** Every field is visible. */
  readonly isWhole: boolean;
  /** The same for views that show the same, but for the time of the request. Where that decides, there is no feed. */
  readonly key: string;
  /** Why there is no feed of the records; undefined if there is one. */
  readonly noFeed: string | undefined;
};

const whole = new WeakMap<Collection, View>();

/** For callers with a scope, and for the server itself. The same object at each call. */
export function everything(collection: Collection): View {
  const known = whole.get(collection);
  if (known !== undefined) return known;
  const view: View = { collection, sight: undefined };
  whole.set(collection, view);
  return view;
}

/** The collection by which queries are read and answers are written. */
export function seenIn({ collection, sight }: View): Collection {
  return sight === undefined ? collection : sight.seen;
}
