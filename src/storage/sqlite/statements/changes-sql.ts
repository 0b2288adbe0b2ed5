/** Inserts of change rows. `or fail`: the writer undoes the whole write after an error. */

/** The last parameters of a change of a transaction: the number of its first change, and how many it has. */
export const rangeColumns = ['transaction_first', 'transaction_size'] as const;

const listed = (columns: readonly string[]) => columns.map((name) => `, ${name}`).join('');
const marks = (columns: readonly string[]) => columns.map(() => ', ?').join('');

/** Of new records. Parameters: the collection, the record id of the first, the time, the author, the trace, `more` columns, and the JSON of each. */
export function createdStatement(rows: number, more: readonly string[]): string {
  const given = more.map((_, index) => `, ?${index + 6}`).join('');
  const values = Array.from({ length: rows }, (_, row) => `(?1, 'created', ?2 + ${row}, 1, ?3, ?3, ?4, ?5${given}, ?)`);
  return `insert or fail into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id${listed(more)}, record)
          values ${values.join(', ')}`;
}

export const updatedStatement = (more: readonly string[]) =>
  `insert or fail into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, before${listed(more)})
   values (?, 'updated', ?, ?, ?, ?, ?, ?, ?, ?${marks(more)})`;

export const deletedStatement = (more: readonly string[]) =>
  `insert or fail into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at${listed(more)})
   values (?, 'deleted', ?, ?, ?, ?, ?, ?, ?, ?${marks(more)})`;
