/** Parses encoded records, as they are stored. */
import { type Json, mayLoseDigits, ParsedText, parseJson } from '../../domain/input/json.ts';
import type { Fields } from '../../domain/record/row.ts';

export type ParsedRecord = {
  readonly members: Readonly<Record<string, unknown>>;
  /** Has the digits and the texts of members; undefined if no field needs them. */
  readonly exact: Json | undefined;
};

/** Records that are parsed together. One with digits that a double loses makes the others of its group slower, too. */
const groupSize = 64;

export function recordParser(fields: Fields): (records: readonly string[]) => ParsedRecord[] {
  const needsText = Object.values(fields).some(({ takesText }) => takesText);

  function alone(json: string): ParsedRecord {
    const exact = parseJson(json);
    return { members: exact.value as ParsedRecord['members'], exact };
  }

  return (records) => {
    const parsed: ParsedRecord[] = [];
    for (let at = 0; at < records.length; at += groupSize) {
      const group = records.slice(at, at + groupSize);
      const together = membersOf(group);
      if (together === undefined) for (const json of group) parsed.push(alone(json));
      else
        together.forEach((members, index) => {
          parsed.push({ members, exact: needsText ? new ParsedText(group[index] ?? '', members) : undefined });
        });
    }
    return parsed;
  };
}

/** The members of records that are parsed together; undefined if a digit can be lost. */
export function membersOf(records: readonly string[]): ParsedRecord['members'][] | undefined {
  const text = records.join();
  return mayLoseDigits(text) ? undefined : (JSON.parse(`[${text}]`) as ParsedRecord['members'][]);
}

/** What a field needs besides its value in JSON. */
export function exactOf(exact: Json | undefined, key: string, takesText: true | undefined): string | undefined {
  return takesText ? exact?.text(key) : exact?.literal(key);
}
