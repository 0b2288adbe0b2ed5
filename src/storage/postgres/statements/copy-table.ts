/** The records of a bulk as COPY takes them. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { type Complete, completer } from '../../../domain/store/transaction.ts';
import { wordsOf } from '../../../domain/words/split.ts';
import { exactOf, recordParser } from '../../bulk/parsed-records.ts';
import { BinaryRows, columnsOf, type RowWriter } from './binary-rows.ts';
import { microseconds, writeValueOf } from './binary-value.ts';
import { quoted } from './table-sql.ts';
import { wordsColumns } from './words.ts';

export type CopyTable = {
  /** Other records can be in the way of a record: COPY then refuses all of them without naming it. */
  readonly isChecked: boolean;
  /** The table with its columns. */
  readonly into: string;
  /** `at` is the time of the bulk. */
  recordRows(at: string): RowWriter;
  /** A record as its change has it. */
  readonly complete: Complete;
  /** Columns: the lowest and the highest of the last numbers in the table. $1: how many. */
  readonly lastNumbers: string;
  /** The last number that was assigned; null if there is none, or if the role may not see it. */
  readonly lastAssigned: string;
};

/** The version and both times. */
const setByServer = 3;

/**
 * Undefined if a record can refer to one before it in the same bulk: COPY would also accept one after it; and if a rule is on the moment of the
 * change, which only the function judges: all else that a record has to meet by itself was judged when it was read.
 */
export function copyTable(collection: Collection): CopyTable | undefined {
  const { name, fields, unique, checks, references, stamp, searched } = collection;
  if (references.some(({ to }) => to === name)) return undefined;
  if (checks.some((rule) => rule.fields.some((key) => fields[key]?.clock !== undefined))) return undefined;
  const named = Object.entries(fields).map(([key, field]) => {
    const { revive, takesText } = field;
    return { key, revive, takesText, write: writeValueOf(field) };
  });
  const parse = recordParser(fields);
  const table = identifier(name);
  return {
    isChecked: unique.length > 0 || references.length > 0,
    into: `${table} (${[...quoted(collection), ...wordsColumns(collection)].join(', ')}, version, created_at, updated_at)`,
    recordRows(at) {
      const time = microseconds(at);
      const rows = new BinaryRows();
      const same = columnsOf((columns) => {
        columns.int64(1);
        columns.int64(time);
        columns.int64(time);
      });
      return (records) => {
        const stamped = stamp === undefined ? records : records.map((json) => stamp(json, at));
        for (const { members, exact } of parse(stamped)) {
          rows.row(named.length + searched.length + setByServer);
          for (const { key, revive, takesText, write } of named) {
            const value = members[key] ?? null;
            if (value === null) rows.null();
            else write(rows, revive(value, exactOf(exact, key, takesText)));
          }
          for (const field of searched) {
            const text = members[field] ?? null;
            if (text === null) rows.null();
            else rows.words(wordsOf(String(text)));
          }
          rows.same(same);
        }
        return rows.take();
      };
    },
    complete: completer(collection),
    lastNumbers: `select min(seq), max(seq) from (select seq from ${table} order by seq desc limit $1::bigint) as _last`,
    lastAssigned: `select case when has_sequence_privilege(_sequence, 'select') then pg_sequence_last_value(_sequence::regclass) end
      from pg_get_serial_sequence(${literal(table)}, 'seq') as _sequence`,
  };
}
