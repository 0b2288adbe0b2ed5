/** The records that words or an id may mean, of several collections at once. */
import { candidates } from '../api/candidates.ts';
import type { Collection } from '../api/declarations.ts';
import { go, hrefOf } from '../state/address.ts';
import type { Entry } from './entries.ts';

const mostCollections = 20;
const mostOfEach = 5;

/** Those of the collection called `first` come first; `onFound` is called with all that were found so far. */
export async function recordEntries(
  collections: readonly Collection[],
  first: string | undefined,
  words: string,
  signal: AbortSignal,
  onFound: (entries: readonly Entry[]) => void,
): Promise<void> {
  const ordered = [...collections].sort((one, other) => Number(other.name === first) - Number(one.name === first));
  const found = new Map<string, readonly Entry[]>();
  const asked = ordered.slice(0, mostCollections);
  await Promise.all(
    asked.map(async (collection) => {
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
      onFound(asked.flatMap((one) => found.get(one.name) ?? []));
    }),
  );
}
