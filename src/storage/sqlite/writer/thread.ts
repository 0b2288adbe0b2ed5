/** The writing thread: receives batches from all serving threads and replies with their outcomes. A slow disk delays this thread and no reader. */
import type { Database } from 'bun:sqlite';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { collection } from '../../../domain/record/collection.ts';
import type { Declarations } from '../../../domain/record/declaration.ts';
import { maxLight } from '../../commit-queue.ts';
import { requireSame } from '../file/watch.ts';
import { CommitProgress } from '../memory/atomics.ts';
import { connect } from '../statements/connection.ts';
import { type CommitReply, Committer, type CommitterOptions } from './committer.ts';
import { isBulk, readLines, sizeOf, type Write } from './thread/write-message.ts';

declare const self: Worker;

/**
 * The WAL is checkpointed when it has this many pages (16 MiB). Writes change pages all over the tables and their indexes, so a lower
 * limit would cause a checkpoint every few writes.
 */
const logPages = 4096;
/** In characters: with more, no further batch joins the commit. */
const mostTogether = 1024 * 1024;

/** The first message. */
export type Setup = CommitterOptions & {
  readonly declarations: Declarations;
  readonly progress: SharedArrayBuffer;
};

/** A serving thread connects: its batches arrive on the port, and the first reply there is the memory that it reads. */
export type Connect = { readonly port: MessagePort };

type Batch = { readonly from: MessagePort; readonly writes: readonly Write[] };

/** Light batches share a commit. A heavy batch, which is a bulk or has a large record, has its own after them, so that they do not wait for it. */
function weightOf({ writes: [first] }: Batch): 'light' | 'heavy' {
  return isBulk(first) || sizeOf(first) > maxLight ? 'heavy' : 'light';
}

/** Before 3.51, which macOS may have, SQLite runs a checkpoint when it is asked for the length of the log. */
function knowsLogLength(db: Database): boolean {
  using version = db.prepare<{ version: string }, []>('select sqlite_version() as version');
  return Bun.semver.satisfies(version.get()?.version ?? '', '>=3.51.0');
}

self.onmessage = ({ data }: MessageEvent<Setup>) => {
  requireSame(data.filename, data.opened);
  const db = connect(data.filename);
  // Records are validated before they are encoded. The check constraints are for other programs, and each costs as much
  // as a column.
  db.run('pragma ignore_check_constraints = on');
  // A second check: the writer checks references itself, to name the record at fault.
  db.run('pragma foreign_keys = on');
  // An automatic checkpoint would run within a commit, and its writes would wait for it.
  const copiesLog = knowsLogLength(db);
  db.run(`pragma wal_autocheckpoint = ${copiesLog ? 0 : logPages}`);
  const collections = Object.entries(data.declarations).map(([name, declaration]) => collection(name, declaration));
  const committer = new Committer(db, collections, new CommitProgress(data.progress), data);
  const logLength = db.prepare<{ log: number }, []>('pragma wal_checkpoint(noop)');
  const ports: MessagePort[] = [];

  /** This batch, and the batches that other threads have sent meanwhile. */
  function gather(from: MessagePort, text: string): Batch[] {
    const batches = [{ from, writes: readLines(text) }];
    let size = text.length;
    for (const port of ports) {
      if (port === from || size > mostTogether) continue;
      const received = receiveMessageOnPort(port) as { message: string } | undefined;
      if (received === undefined) continue;
      batches.push({ from: port, writes: readLines(received.message) });
      size += received.message.length;
    }
    return batches;
  }

  /** Returns false if the commit failed, or the file is gone. */
  function commit(batches: readonly Batch[]): boolean {
    const [first] = batches;
    const writes =
      first !== undefined && batches.length === 1 ? first.writes : batches.flatMap((batch) => batch.writes);
    const all = committer.commit(writes);
    let begin = 0;
    for (const { from, writes: own } of batches) {
      const end = begin + own.length;
      const isAll = own.length === writes.length || 'error' in all;
      const reply: CommitReply = isAll ? all : { ...all, outcomes: all.outcomes.slice(begin, end) };
      // As text: a structured message takes longer to copy than to encode and parse.
      from.postMessage(JSON.stringify(reply));
      begin = end;
    }
    return !('error' in all) && all.lost === undefined;
  }

  function keepLogShort(): void {
    try {
      if ((logLength.get()?.log ?? 0) >= logPages) db.run('pragma wal_checkpoint(passive)');
    } catch {
      // The commits are safe in the log, which grows until a checkpoint succeeds.
    }
  }

  function serve(port: MessagePort): void {
    ports.push(port);
    port.on('message', (text: string) => {
      const { light = [], heavy = [] } = Object.groupBy(gather(port, text), weightOf);
      let isStored = light.length > 0 && commit(light);
      for (const batch of heavy) isStored = commit([batch]);
      if (copiesLog && isStored) keepLogShort();
    });
    const memory = committer.records.share();
    port.postMessage(memory, [memory.port]);
  }

  // An empty message closes the file, and is answered with an empty message.
  self.onmessage = ({ data: message }: MessageEvent<Connect | ''>) => {
    if (message !== '') return serve(message.port);
    for (const port of ports) port.close();
    logLength.finalize();
    committer.close();
    self.postMessage('');
  };
  self.postMessage('');
};
