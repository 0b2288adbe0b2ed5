/** The changes of the live feed, decoded by the declarations of their collections. */
import type { ChangesOptions } from './api.ts';
import type { Declarations } from './declarations.ts';
import { type FeedOptions, feedOf } from './feed.ts';

type Row = Record<string, unknown>;
type Item = { seq: number; type: string; at?: string; record?: Row; before?: Row };

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
        for (const row of [item.record, item.before]) if (row !== undefined) decoder.record(name, row);
        return item;
      },
      { signal: options.signal },
    );
  return feedOf<Item>(declarations.sender, { ...options, collection, read });
}
