/** The records of a bulk as COPY takes them: the rows of the table, and those of the changes. */
import type { Collection } from '../../domain/collection.ts';
import { withId } from '../../domain/store.ts';
import { exactOf, recordParser } from '../parsed-records.ts';
import { copyText } from './copy-text.ts';
import { spelled } from './functions.ts';
import { quoted } from './sql.ts';

export type CopyTable = {
  /** Other records can be in the way of a record: COPY then refuses all of them without naming it. */
  readonly isChecked: boolean;
  readonly records: string;
  readonly changes: string;
  /** Rows for `records`. `at` is the time of the bulk. */
  recordRows(records: readonly string[], at: string): string;
  /** Rows for `changes`, where the records have the numbers from `first` on. */
  changeRows(records: readonly string[], first: number, at: string, by: string | undefined): string;
  /** Columns: the lowest and the highest of the last numbers. $1: how many. */
  readonly lastNumbers: string;
};

/** Undefined if a record can refer to one before it in the same bulk: COPY would also accept one after it. */
export function copyTable(collection: Collection): CopyTable | undefined {
  const { name, fields, contract, unique, references } = collection;
  if (references.some(({ to }) => to === name)) return undefined;
  const named = Object.entries(fields);
  const parse = recordParser(fields);
  const complete = contract === undefined ? (json: string) => json : withId;
  return {
    isChecked: unique.length > 0 || references.length > 0,
    records: `"${name}" (${quoted(collection).join(', ')}, version, created_at, updated_at)`,
    changes: 'changes (collection, type, record_seq, version, created_at, at, made_by, record)',
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
    changeRows(records, first, at, by) {
      const end = `1\t${at}\t${at}\t${copyText(by ?? null)}`;
      let text = '';
      for (const [index, json] of records.entries()) {
        const seq = first + index;
        text += `${name}\tcreated\t${seq}\t${end}\t${copyText(complete(json, seq))}\n`;
      }
      return text;
    },
    lastNumbers: `select min(seq), max(seq) from (select seq from "${name}" order by seq desc limit $1::bigint) as _last`,
  };
}
