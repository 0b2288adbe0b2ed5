/** The changes of the live feed, decoded by the declarations of their collections. */
import type { ChangesOptions } from './api.ts';
import type { Declarations } from './declarations.ts';
import { type FeedOptions, feedOf } from './feed.ts';
import type { CallOptions } from './send/sender.ts';
import type { Decoder } from './values/decode.ts';

type Row = Record<string, unknown>;
export type Item = {
  seq: number;
  type: string;
  match?: string;
  transaction?: { first: number; size: number };
  record: Row;
  before?: Row;
};

/** `collection` is undefined for all. */
export function follow(
  declarations: Declarations,
  collection: string | undefined,
  options: ChangesOptions & Pick<FeedOptions<Item>, 'silence'>,
) {
  return feedOf<Item>(declarations.sender, {
    ...options,
    collection,
    read: (data) => readItem(declarations, collection, data, options),
  });
}

/** A change as the feed sends it. */
export function readItem(
  declarations: Declarations,
  collection: string | undefined,
  data: string,
  { signal }: CallOptions,
): Item | Promise<Item> {
  return declarations.decode(data, (value, decoder) => itemOf(value, decoder, collection), { signal });
}

export function itemOf(value: unknown, decoder: Decoder, collection: string | undefined): Item {
  const item = value as Item;
  const [singular] = item.type.split('.');
  const name = collection ?? [...decoder.known].find(([, one]) => one.singular === singular)?.[0] ?? '';
  decoder.record(name, item.record);
  if (item.before !== undefined) decoder.record(name, item.before);
  return item;
}
