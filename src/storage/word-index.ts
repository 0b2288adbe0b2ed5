/** The index of words, the same in both engines: the names of its columns, and the version that each collection was split by. */
import type { Collection } from '../domain/record/collection.ts';
import { splitVersion } from '../domain/words/split.ts';

/** Another version of Unicode in the runtime may split otherwise. */
const version = `${splitVersion} (Unicode ${process.versions.unicode})`;

/** The setting has the version of each collection as JSON. */
export const wordsSetting = 'words';

type Versions = Readonly<Record<string, string>>;

/** No field can have such a name, because of the colon. */
export function wordsColumn(field: string): string {
  return `${field}:words`;
}

export function wordsVersions(setting: string | undefined): Versions {
  return setting === undefined ? {} : JSON.parse(setting);
}

export function isSplitNow(versions: Versions, collection: string): boolean {
  return versions[collection] === version;
}

/** The setting after these collections were indexed. Others, which are not served, keep their versions. */
export function versionsAfter(versions: Versions, collections: readonly Collection[]): string {
  const own = collections.map(({ name, searched }) => [name, searched.length > 0 ? version : undefined]);
  // Left out if undefined.
  return JSON.stringify({ ...versions, ...Object.fromEntries(own) });
}

/** Of records that are split at once while an index is made. */
export const recordsAtOnce = 1000;
/** Records between two lines about it. */
const recordsPerLine = 100_000;

/** Says how far an index is that is made. */
export function indexing({ name }: Collection, onStep: (line: string) => void) {
  let [done, shown] = [0, 0];
  const say = () => {
    shown = done;
    onStep(`${name}: split the texts of ${done} record${done === 1 ? '' : 's'} into words`);
  };
  return {
    add(records: number): void {
      done += records;
      if (done >= shown + recordsPerLine) say();
    },
    end(): void {
      if (done > shown) say();
    },
  };
}
