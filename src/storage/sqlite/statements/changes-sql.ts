/** Inserts of change rows. `or fail`: the writer undoes the whole write after an error. */

/** The last parameters of a change of a transaction: the number of its first change, and how many it has. */
export const rangeColumns = ['transaction_first', 'transaction_size'] as const;

const listed = (columns: readonly string[]) => columns.map((name) => `, ${name}`).join('');

/** Of new records. Parameters: the collection, the record id of the first, the time, the author, the trace, `more` columns, and the JSON of each. */
export function createdStatement(rows: number, more: readonly string[]): string {
  const given = more.map((_, index) => `, ?${index + 6}`).join('');
  const values = Array.from({ length: rows }, (_, row) => `(?1, 'created', ?2 + ${row}, 1, ?3, ?3, ?4, ?5${given}, ?)`);
  return `insert or fail into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id${listed(more)}, record)
          values ${values.join(', ')}`;
}

/**
 * Of any records. Parameters: the time, the author, the trace, `more` columns, and of each change its collection, type, record id, version, time of
 * creation, JSON, what an update has changed, and the time of the last update before a deletion.
 */
export function changeStatement(rows: number, more: readonly string[]): string {
  const given = more.map((_, index) => `, ?${index + 4}`).join('');
  const values = Array.from({ length: rows }, () => `(?1, ?2, ?3${given}, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return `insert or fail into changes (at, made_by, trace_id${listed(more)}, collection, type, record_seq, version, created_at, record, before, updated_at)
          values ${values.join(', ')}`;
}
