/** What an update changes, as it was before, for its change row. */
import type { Fields } from '../../../domain/record/row.ts';
import type { SqliteValue } from '../../../domain/types/type.ts';
import type { Columns } from './values.ts';

type Values = readonly (SqliteValue | null | undefined)[];

export function changedMembers(fields: Fields) {
  const named = Object.entries(fields).map(([key, { sqlite, encode }]) => {
    const text = (value: SqliteValue | null) => (value === null ? 'null' : encode(sqlite.unbind(value)));
    return { key, text, name: JSON.stringify(key) };
  });

  /** `stored` is the row before, and `values` are in the order of the fields, undefined for a field that does not change. */
  return (stored: Readonly<Columns>, values: Values): string => {
    let members = '';
    named.forEach(({ key, text, name }, index) => {
      const value = values[index];
      if (value === undefined) return;
      const was = text(stored[key] ?? null);
      // Compared as JSON: zero and minus zero are two values.
      if (was !== text(value)) members += `${name}:${was},`;
    });
    return `{${members}"version":${stored.version},"updated_at":"${stored.updated_at}"}`;
  };
}
