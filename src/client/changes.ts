/** The changes of the live feed, decoded by the declarations of their collections. */
import type { ChangesOptions } from './api.ts';
import type { Declarations } from './declarations.ts';
import { type FeedOptions, feedOf } from './feed.ts';

type Item = { seq: number; type: string; at?: string; record?: Record<string, unknown> };

/** `collection` is undefined for all. */
export function follow(
  declarations: Declarations,
  collection: string | undefined,
  options: ChangesOptions & Pick<FeedOptions<Item>, 'silence'>,
) {
  const read = (data: string) =>
    declarations.decode(
      data,
      (value, decoder) => {
        const item = value as Item;
        const [singular] = item.type.split('.');
        const name = collection ?? [...decoder.known].find(([, one]) => one.singular === singular)?.[0] ?? '';
        if (item.record !== undefined) decoder.record(name, item.record);
        return item;
      },
      { signal: options.signal },
    );
  return feedOf<Item>(declarations.sender, { ...options, collection, read });
}
