/** The writing thread: receives batches and replies with their outcomes. A slow disk delays this thread and no reader. */
import type { UnservedReference } from '../../../declarations/plan.ts';
import { collection } from '../../../domain/collection.ts';
import type { Declarations } from '../../../domain/declaration.ts';
import { connect } from '../connection.ts';
import { type Identity, requireSame, type Seen, watchOpen } from '../file/watch.ts';
import type { Applied } from './outcome.ts';
import type { WriteLine } from './write-line.ts';
import { openWriter } from './writer.ts';

declare const self: Worker;

/** The WAL is copied to the database file when it has this many pages (16 MiB). */
const logPages = 4096;

/** The first message. */
export type Setup = {
  readonly filename: string;
  readonly opened: Identity;
  readonly declarations: Declarations;
  /** References from collections that are not served. */
  readonly unserved: readonly UnservedReference[];
};

/** The reply to a batch, with the state of the files after it. */
export type CommitReply = (Applied & Seen) | { readonly error: string };

self.onmessage = ({ data }: MessageEvent<Setup>) => {
  requireSame(data.filename, data.opened);
  const db = connect(data.filename);
  // Records are validated before they are encoded. The checks of the tables are for other programs, and each costs as
  // much as a column.
  db.run('pragma ignore_check_constraints = on');
  // The tables refer to each other; the writer checks that itself, to say which record is at fault.
  db.run('pragma foreign_keys = on');
  // Writes change pages all over the tables and their indexes: a shorter log would be copied to the file after each few of them.
  db.run(`pragma wal_autocheckpoint = ${logPages}`);
  const collections = Object.entries(data.declarations).map(([name, declaration]) => collection(name, declaration));
  const writer = openWriter(db, collections, { unserved: data.unserved });

  const look = watchOpen(db, data.filename, data.opened);
  let seen = look();

  function reply(lines: readonly WriteLine[]): CommitReply {
    try {
      if (seen.lost !== undefined) seen = look();
      if (seen.lost !== undefined) return { ...writer.refuse(lines, seen.lost), ...seen };
      const applied = writer.apply(lines);
      // After the commit: if the file is still in place, the next start finds the commit.
      seen = look();
      return { ...applied, ...seen };
    } catch (error) {
      return { error: String(error) };
    }
  }

  /** Ensures that the next start does not replay a failed commit, unless the disk still fails. */
  function settle(): void {
    try {
      writer.settle();
    } catch {
      // The writes of that commit were answered with `outcome_unknown`.
    }
  }

  // An empty message closes the file, and is answered with an empty message.
  self.onmessage = ({ data: batch }: MessageEvent<string>) => {
    if (batch !== '') return self.postMessage(JSON.stringify(reply(batch.split('\n'))));
    settle();
    writer.close();
    db.close(true);
    self.postMessage('');
  };
  self.postMessage('');
};
