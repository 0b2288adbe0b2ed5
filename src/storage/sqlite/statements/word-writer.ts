/** Writes the words of records, in the transaction of the records. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../../domain/record/collection.ts';
import { wordsOf } from '../../../domain/words/split.ts';
import { wordStatements } from './words-sql.ts';

type Binding = string | number | bigint | null;

/** The text of a field of the record; null if it has none. */
type TextOf = (field: string) => unknown;

export type WordWriter = {
  add(recordId: number | bigint, textOf: TextOf): void;
  /** After a change of `fields`, for which `textOf` has the new texts. */
  change(recordId: number | bigint, fields: readonly string[], textOf: TextOf): void;
  remove(recordId: number | bigint): void;
  close(): void;
};

/** Undefined if no field is searched. */
export function openWords(db: Database, collection: Collection): WordWriter | undefined {
  const { searched } = collection;
  if (searched.length === 0) return undefined;
  const sql = wordStatements(collection);
  const add = db.prepare<unknown, Binding[]>(sql.add);
  const remove = db.prepare<unknown, Binding[]>(sql.remove);
  const writer: WordWriter = {
    add(recordId, textOf) {
      add.run(recordId, ...searched.map((field) => joined(textOf(field))));
    },
    change(recordId, fields, textOf) {
      if (!searched.some((field) => fields.includes(field))) return;
      writer.remove(recordId);
      writer.add(recordId, textOf);
    },
    remove: (recordId) => void remove.run(recordId),
    close() {
      add.finalize();
      remove.finalize();
    },
  };
  return writer;
}

function joined(text: unknown): string | null {
  return typeof text === 'string' ? [...wordsOf(text)].join(' ') : null;
}
