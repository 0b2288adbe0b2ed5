/** The thread that writes: a batch in, its outcomes out. A slow disk holds up this thread and no reader. */
import { connect } from '../connection.ts';
import { type Identity, requireSame, type Seen, watchOpen } from '../file/watch.ts';
import type { Shape } from '../sql.ts';
import type { Applied } from './outcome.ts';
import type { WriteLine } from './write-line.ts';
import { openWriter } from './writer.ts';

declare const self: Worker;

/** Sent once, first. */
export type Setup = { readonly filename: string; readonly opened: Identity; readonly shapes: readonly Shape[] };

/** Answered for each batch, with the state of the files behind it. */
export type CommitReply = (Applied & Seen) | { readonly error: string };

self.onmessage = ({ data }: MessageEvent<Setup>) => {
  requireSame(data.filename, data.opened);
  const db = connect(data.filename);
  // What comes here was checked before it was encoded. Those of the tables are for other programs, and cost as much as a column.
  db.run('pragma ignore_check_constraints = on');
  const writer = openWriter(db, data.shapes);

  const look = watchOpen(db, data.filename, data.opened);
  let seen = look();

  function reply(lines: readonly WriteLine[]): CommitReply {
    try {
      if (seen.lost !== undefined) seen = look();
      if (seen.lost !== undefined) return { ...writer.refuse(lines, seen.lost), ...seen };
      const applied = writer.apply(lines);
      // Behind the commit: what was in the named file then is found by the next start.
      seen = look();
      return { ...applied, ...seen };
    } catch (error) {
      return { error: String(error) };
    }
  }

  /** A commit that failed is not left for the next start to find, unless the disk still fails. */
  function settle(): void {
    try {
      writer.settle();
    } catch {
      // Its writes were answered with `outcome_unknown`.
    }
  }

  // An empty message is the last: the thread lets go of the file and says so.
  self.onmessage = ({ data: batch }: MessageEvent<string>) => {
    if (batch !== '') return self.postMessage(JSON.stringify(reply(batch.split('\n'))));
    settle();
    writer.close();
    db.close(true);
    self.postMessage('');
  };
  self.postMessage('');
};
