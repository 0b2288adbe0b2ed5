/** Converts the values of encoded records to SQLite bindings. */

import type { Fields } from '../../../domain/record/row.ts';
import type { Field, SqliteValue } from '../../../domain/types/type.ts';
import { integerOf } from '../../../exact/integer.ts';
import { exactOf, membersOf, type ParsedRecord, recordParser } from '../../bulk/parsed-records.ts';

export type Binding = SqliteValue | null;

/** The values of a write in the order of the fields: undefined for one that does not change. */
export type Sent = readonly (Binding | undefined)[];

export function openBindings(fields: Fields) {
  const named = Object.entries(fields);
  const isPlain = named.every(([, { sqlite }]) => sqlite.isPlain);
  const parse = recordParser(fields);

  /** In the order of the fields; undefined for a field that the JSON lacks. */
  function some(json: string): (Binding | undefined)[] {
    return parse([json]).flatMap((record) => named.map(([key, field]) => bind(field, key, record)));
  }

  /** The values of whole records in one array. */
  function all(records: readonly string[]): Binding[] {
    const found: Binding[] = [];
    // A fast path for the most frequent case.
    const together = isPlain ? membersOf(records) : undefined;
    if (together !== undefined) {
      for (const members of together)
        for (const [key] of named) found.push((members[key] as Binding | undefined) ?? null);
      return found;
    }
    for (const record of parse(records)) for (const [key, field] of named) found.push(bind(field, key, record) ?? null);
    return found;
  }

  return { some, all };
}

/** Encoded JSON is valid. Only an integer that no double holds exactly is read from its digits. */
function bind(field: Field, key: string, { members, exact }: ParsedRecord): Binding | undefined {
  const value = members[key] as string | number | boolean | null | undefined;
  if (value === undefined || value === null) return value;
  const { sqlite, takesText } = field;
  if (!sqlite.isPlain) return sqlite.bind(field.revive(value, exactOf(exact, key, takesText)));
  const digits = exact !== undefined && sqlite.column === 'integer' ? exact.literal(key) : undefined;
  return (digits === undefined ? undefined : integerOf(digits)) ?? (value as string | number);
}
