/** The records of a bulk as COPY takes them. */
import type { Collection } from '../../domain/collection.ts';
import { withId } from '../../domain/store.ts';
import { exactOf, recordParser } from '../parsed-records.ts';
import { copyText } from './copy-text.ts';
import { spelled } from './functions.ts';
import { quoted } from './sql.ts';

export type CopyTable = {
  /** Other records can be in the way of a record: COPY then refuses all of them without naming it. */
  readonly isChecked: boolean;
  /** The table with its columns. */
  readonly into: string;
  /** In the text format of COPY. `at` is the time of the bulk. */
  recordRows(records: readonly string[], at: string): string;
  /** A record as its change has it: with its number as id, if it has none. */
  complete(json: string, seq: number): string;
  /** Columns: the lowest and the highest of the last numbers. $1: how many. */
  readonly lastNumbers: string;
};

/** Undefined if a record can refer to one before it in the same bulk: COPY would also accept one after it. */
export function copyTable(collection: Collection): CopyTable | undefined {
  const { name, fields, contract, unique, references } = collection;
  if (references.some(({ to }) => to === name)) return undefined;
  const named = Object.entries(fields);
  const parse = recordParser(fields);
  return {
    isChecked: unique.length > 0 || references.length > 0,
    into: `"${name}" (${quoted(collection).join(', ')}, version, created_at, updated_at)`,
    recordRows(records, at) {
      let text = '';
      for (const { members, exact } of parse(records)) {
        for (const [key, { revive, takesText }] of named) {
          const value = members[key] ?? null;
          text += value === null ? '\\N\t' : `${copyText(spelled(revive(value, exactOf(exact, key, takesText))))}\t`;
        }
        text += `1\t${at}\t${at}\n`;
      }
      return text;
    },
    complete: contract === undefined ? (json) => json : withId,
    lastNumbers: `select min(seq), max(seq) from (select seq from "${name}" order by seq desc limit $1::bigint) as _last`,
  };
}
