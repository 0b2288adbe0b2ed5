/** Values of a row between SQLite and memory. */
import type { Fields, Row } from '../../../domain/record/row.ts';
import type { FieldValue, SqliteValue } from '../../../domain/types/type.ts';

/** A row as SQLite returns it: integers are bigint, so that none is rounded. */
export type Columns = Record<string, SqliteValue | null>;

/** Converts the values of rows in place. Most need no conversion. */
export function unbinder(fields: Fields): (row: Columns) => Row {
  const converted = Object.entries(fields).filter(([, { sqlite }]) => !sqlite.isPlain || sqlite.column === 'any');
  return (row) => {
    const values = row as Record<string, FieldValue>;
    for (const [key, { sqlite }] of converted) {
      const value = row[key];
      if (value !== null && value !== undefined) values[key] = sqlite.unbind(value);
    }
    return values;
  };
}
