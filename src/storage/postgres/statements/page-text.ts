/** Records of the production API as text, straight from their columns: no record is made in between. */
import type { Collection } from '../../../domain/record/collection.ts';
import type { Columns } from './columns.ts';
import { momentWriter } from './moment-text.ts';

/** Writes what `collection.record.encode` writes, with commas. Columns: sequence number, fields, version, times; more are ignored. */
export function pageWriter({ columns, fields }: Collection): (rows: readonly Columns[]) => string {
  const momentText = momentWriter();
  const names = [...columns.keys()].slice(1);
  const members = Object.values(fields).map(({ encode, postgres }, index) => ({
    lead: `,"${names[index]}":`,
    write: postgres.encode ?? ((value) => encode(postgres.unbind(value))),
  }));
  const width = members.length;

  function time(column: unknown): string {
    // The driver returns a Date, which no field has.
    if (column instanceof Date) return momentText(column);
    throw new Error('a time is missing in a row');
  }

  return (rows) => {
    // Joined at the end: a text that grows is kept in pieces, which take longer to put together.
    const parts: string[] = [];
    for (const row of rows) {
      // An int8 arrives as decimal digits.
      parts.push(parts.length === 0 ? '{"id":' : ',{"id":', String(row[0]));
      let at = 1;
      for (const { lead, write } of members) {
        const value = row[at++] ?? null;
        parts.push(lead, value === null ? 'null' : write(value));
      }
      const [version, created, updated] = [row[width + 1], row[width + 2], row[width + 3]];
      parts.push(',"version":', String(version), ',"created_at":"', time(created));
      parts.push('","updated_at":"', time(updated), '"}');
    }
    return parts.join('');
  };
}
