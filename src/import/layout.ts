/** How the text of a file is laid out: CSV, or one JSON object per line. */

export type Layout = {
  readonly format: 'csv' | 'lines';
  /** Between the cells of CSV. */
  readonly separator: string;
  /** The first row of CSV as it is in the file. */
  readonly header: string;
};

/** By the name of the file, or else by its first character. */
export function formatOf(name: string, text: string): Layout['format'] {
  if (/\.[ct]sv$/i.test(name)) return 'csv';
  return /\.(?:ndjson|jsonl)$/i.test(name) || text.trimStart().startsWith('{') ? 'lines' : 'csv';
}

/** The part of a key that tells apart records which are made of the same text in other ways. */
export type Meaning = readonly unknown[];

/** The fields of a unique rule, in any order: records that have the same values are updated. Undefined if all records are added. */
export type RecordKey = readonly string[] | undefined;

/** `fields` has the field of each column, null for one that is left out. */
export function meaningOfColumns(separator: string, fields: readonly (string | null)[], key?: RecordKey): Meaning {
  return ['csv', separator, fields, ...meaningOfKey(key)];
}

/** `fields` has the fields of members by their names, which are unique, and null for one that is left out. */
export function meaningOfMembers(
  fields: Iterable<readonly [name: string, field: string | null]>,
  key: RecordKey,
): Meaning {
  const renamed = [...fields].filter(([name, field]) => name !== field);
  return ['lines', renamed.sort(([one], [other]) => (one < other ? -1 : 1)), ...meaningOfKey(key)];
}

function meaningOfKey(key?: RecordKey): Meaning {
  return key === undefined ? [] : [{ key: [...key].sort() }];
}
