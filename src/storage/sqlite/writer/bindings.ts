/** The values of encoded records as SQLite takes them. */
import { exactInteger } from '../../../domain/integer.ts';
import { type Json, mayLoseDigits, parseJson } from '../../../domain/json.ts';
import type { Fields } from '../../../domain/row.ts';
import type { Field, SqliteValue } from '../../../domain/types/type.ts';

export type Binding = SqliteValue | null;

export function openBindings(fields: Fields) {
  const named = Object.entries(fields);
  const isPlain = named.every(([, { sqlite }]) => sqlite.isPlain);

  /** In the order of the fields; undefined for one that the record does not have. */
  function some(json: string): (Binding | undefined)[] {
    const parsed = parseJson(json);
    const members = parsed.value as Readonly<Record<string, unknown>>;
    return named.map(([key, field]) => bind(field, key, members[key], parsed));
  }

  /** The values of whole records in one array. All are parsed together if no digit can be lost. */
  function all(records: readonly string[]): Binding[] {
    const text = records.join();
    if (!isPlain || mayLoseDigits(text)) return records.flatMap((json) => some(json).map((value) => value ?? null));
    const found: Binding[] = [];
    const rows: Record<string, string | number>[] = JSON.parse(`[${text}]`);
    for (const row of rows) for (const [key] of named) found.push(row[key] ?? null);
    return found;
  }

  return { some, all };
}

/** Encoded JSON is valid. Only an integer that no double holds exactly is read from its digits. */
function bind(field: Field, key: string, value: unknown, json: Json): Binding | undefined {
  if (value === undefined || value === null) return value;
  const { sqlite } = field;
  if (!sqlite.isPlain) return sqlite.bind(field.revive(value, field.takesText ? json.text(key) : json.literal(key)));
  const digits = sqlite.column === 'integer' ? json.literal(key) : undefined;
  const exact = digits === undefined ? undefined : exactInteger(digits);
  return typeof exact === 'bigint' ? exact : (value as string | number);
}
