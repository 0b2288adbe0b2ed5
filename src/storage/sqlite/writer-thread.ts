/** The thread that writes: a batch in, its outcomes out. A slow disk holds up this thread and no reader. */
import { connect } from './connection.ts';
import type { Applied } from './outcome.ts';
import type { Shape } from './sql.ts';
import type { WriteLine } from './write-line.ts';
import { openWriter } from './writer.ts';

declare const self: Worker;

/** Sent once, first. */
export type Setup = { readonly filename: string; readonly shapes: readonly Shape[] };

/** Answered for each batch. */
export type Reply = Applied | { readonly error: string };

self.onmessage = ({ data }: MessageEvent<Setup>) => {
  const db = connect(data.filename);
  // What comes here was checked before it was encoded. Those of the tables are for other programs, and cost as much as a column.
  db.run('pragma ignore_check_constraints = on');
  const writer = openWriter(db, data.shapes);

  function reply(lines: readonly WriteLine[]): Reply {
    try {
      return writer.apply(lines);
    } catch (error) {
      return { error: String(error) };
    }
  }

  // An empty message is the last: the thread lets go of the file and says so.
  self.onmessage = ({ data: batch }: MessageEvent<string>) => {
    if (batch !== '') return self.postMessage(JSON.stringify(reply(batch.split('\n'))));
    writer.close();
    db.close(true);
    self.postMessage('');
  };
  self.postMessage('');
};
