/** The records that words or an id may mean, of several collections at once. */
import { candidates } from '../api/candidates.ts';
import type { Collection } from '../api/declarations.ts';
import { go, hrefOf } from '../state/address.ts';
import type { Entry } from './entries.ts';

const mostOfEach = 5;

/** Those of the collection called `first` come first; `onFound` is called with all that were found so far, and whether that is all. */
export async function recordEntries(
  collections: readonly Collection[],
  first: string | undefined,
  words: string,
  signal: AbortSignal,
  onFound: (entries: readonly Entry[], isAll: boolean) => void,
): Promise<void> {
  const ordered = [...collections].sort((one, other) => Number(other.name === first) - Number(one.name === first));
  const found = new Map<string, readonly Entry[]>();
  await Promise.all(
    ordered.map(async (collection) => {
      const records = await candidates(collection, words, mostOfEach, signal, true).catch(() => []);
      if (signal.aborted) return;
      const { name, singular } = collection;
      found.set(
        name,
        records.map(({ id, title }) => ({
          key: `record ${name} ${id}`,
          title,
          kind: `${singular} ${id}`,
          run: () => go(hrefOf([name, id])),
        })),
      );
      onFound(
        ordered.flatMap((one) => found.get(one.name) ?? []),
        found.size === ordered.length,
      );
    }),
  );
}
