/** Loads rows with COPY, in its text format. */
import type { SQL } from 'bun';
import type { Batches } from '../contents.ts';
import { copyText } from './copy-text.ts';

/** A value as text, as PostgreSQL reads it for the column. */
export type Field = string | null;

/** `into` is the table with its columns. */
export async function copyRows<Row>(
  sql: SQL,
  into: string,
  batches: Batches<Row>,
  fields: (row: Row) => readonly Field[],
): Promise<void> {
  const stream = sql.unsafe(`copy ${into} from stdin`).writable();
  const writer = stream.getWriter();
  // The error of a failed write is thrown by `close`.
  writer.closed.catch(() => {});
  try {
    for await (const rows of batches) {
      let text = '';
      for (const row of rows) text += `${fields(row).map(copyText).join('\t')}\n`;
      await writer.ready;
      // Not awaited: the next batch is made while this one is sent. Its error is thrown by `ready` or `close`.
      writer.write(text).catch(() => {});
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
}
