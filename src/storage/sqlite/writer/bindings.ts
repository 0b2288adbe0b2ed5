/** The values of encoded records as SQLite takes them. */
import { exactInteger } from '../../../domain/integer.ts';
import { type Json, mayLoseDigits, parseJson } from '../../../domain/json.ts';
import type { Fields } from '../../../domain/row.ts';
import type { Field, SqliteValue } from '../../../domain/types/type.ts';

export type Binding = SqliteValue | null;

/** Records that are parsed together. One with digits that a double loses makes the others of its group slower, too. */
const groupSize = 64;

export function openBindings(fields: Fields) {
  const named = Object.entries(fields);
  const needsText = named.some(([, { takesText }]) => takesText);
  const isPlain = named.every(([, { sqlite }]) => sqlite.isPlain);

  /** In the order of the fields; undefined for one that the record does not have. */
  function some(json: string): (Binding | undefined)[] {
    const parsed = parseJson(json);
    const members = parsed.value as Readonly<Record<string, unknown>>;
    return named.map(([key, field]) => bind(field, key, members[key], parsed));
  }

  /** The values of whole records in one array. */
  function all(records: readonly string[]): Binding[] {
    const found: Binding[] = [];
    for (let at = 0; at < records.length; at += groupSize) addGroup(records.slice(at, at + groupSize), found);
    return found;
  }

  /** All are parsed together if no digit can be lost. */
  function addGroup(records: readonly string[], found: Binding[]): void {
    const text = records.join();
    if (needsText || mayLoseDigits(text)) {
      for (const json of records) for (const value of some(json)) found.push(value ?? null);
      return;
    }
    const rows: Record<string, string | number | boolean>[] = JSON.parse(`[${text}]`);
    if (isPlain) {
      for (const row of rows) for (const [key] of named) found.push((row[key] as string | number | undefined) ?? null);
      return;
    }
    for (const row of rows) {
      for (const [key, { sqlite, revive }] of named) {
        const value = row[key] ?? null;
        if (value === null) found.push(null);
        else found.push(sqlite.isPlain ? (value as string | number) : sqlite.bind(revive(value, undefined)));
      }
    }
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
