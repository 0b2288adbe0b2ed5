/** Applies batches of writes, each in one transaction with its change rows. Runs on a thread of its own. */
import type { Database } from 'bun:sqlite';
import { trimmedAtOnce } from '../changes.ts';
import { momentBefore, openClock } from './clock.ts';
import type { Applied, Outcome } from './outcome.ts';
import type { Shape } from './sql.ts';
import { openTable, type TableWriter } from './table-writer.ts';
import { appendPrefix, readLine, type Write, type WriteLine } from './write-line.ts';

export type Writer = { apply(lines: readonly WriteLine[]): Applied; close(): void };

/** Failures of the disk or the file: the whole batch fails, and trying it row by row would not help. */
const ofTheDisk = /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|BUSY|LOCKED|NOMEM|PROTOCOL)/;

export function openWriter(db: Database, shapes: readonly Shape[], clock = openClock(db)): Writer {
  const tables = shapes.map((shape) => openTable(db, shape));
  function tableAt(place: number): TableWriter {
    const table = tables[place];
    if (table === undefined) throw new Error(`there is no collection at place ${place}`);
    return table;
  }

  function reload(): void {
    for (const table of tables) table.reload();
  }

  /** Up to the first change that is younger. The last one forgotten is noted, so that asking for it is a clear error. */
  function trim(before: string): number {
    using oldest = db.prepare<{ seq: number; at: string }, [number]>(
      'select seq, at from changes order by seq limit ?',
    );
    const old = oldest.all(trimmedAtOnce);
    const kept = old.findIndex(({ at }) => at >= before);
    const gone = kept < 0 ? old : old.slice(0, kept);
    const last = gone.at(-1)?.seq;
    if (last === undefined) return 0;
    db.run('delete from changes where seq <= ?', [last]);
    db.run("insert or replace into settings values ('trimmed', ?)", [String(last)]);
    return gone.length;
  }

  function applyOne(write: Exclude<Write, { kind: 'append' }>, now: string): Outcome {
    switch (write.kind) {
      case 'append once':
        return tableAt(write.place).appendOnce(write.once, write.json, now);
      case 'bulk':
        return tableAt(write.place).appendAll(write.spooled, write.once, now);
      case 'remove':
        return tableAt(write.place).remove(write.id, now);
      case 'change': {
        const { place, seq, versions, json } = write;
        const table = tableAt(place);
        return json === undefined ? table.discard(seq, versions, now) : table.update(seq, versions, json, now);
      }
      case 'forget keys':
        return {
          trimmed: db.run('delete from idempotency_keys where at < ?', [momentBefore(now, write.keptMs)]).changes,
        };
      case 'trim':
        return { trimmed: trim(momentBefore(now, write.keptMs)) };
    }
  }

  /** Runs of additions to one collection are inserted together. */
  function applyAll(lines: readonly WriteLine[], now: string): Outcome[] {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < lines.length; ) {
      const write = readLine(lines[at] ?? '');
      if (write.kind !== 'append') {
        outcomes.push(applyOne(write, now));
        at++;
        continue;
      }
      // Most writes are these, and of those behind the first no more is read than how they begin.
      const prefix = appendPrefix(write.place);
      const run: string[] = [];
      while (lines[at]?.startsWith(prefix)) run.push((lines[at++] ?? '').slice(prefix.length));
      const first = tableAt(write.place).append(run, now);
      for (let index = 0; index < run.length; index++) outcomes.push(first + index);
    }
    return outcomes;
  }

  const transaction = db.transaction(applyAll);

  function alone(line: WriteLine, now: string): Outcome {
    try {
      return transaction.immediate([line], now)[0] ?? 'missing';
    } catch (error) {
      reload();
      if (ofTheDisk.test((error as { code?: string }).code ?? '')) throw error;
      return { failed: String(error) };
    }
  }

  return {
    apply(lines) {
      const at = clock();
      try {
        return { outcomes: transaction.immediate(lines, at), at };
      } catch (error) {
        reload();
        if (ofTheDisk.test((error as { code?: string }).code ?? '')) throw error;
        // One of them is at fault, and must not fail its neighbours.
        return { outcomes: lines.map((line) => alone(line, at)), at };
      }
    },
    close() {
      for (const table of tables) table.close();
    },
  };
}
