/** Applies batches of writes, each in one transaction with its change rows. Runs on a thread of its own. */
import type { Database } from 'bun:sqlite';
import { trimmedAtOnce } from '../../rows/change.ts';
import { diskError, leavesDoubt } from '../errors.ts';
import { lastChangeStatement, type Shape } from '../sql.ts';
import { momentBefore, openClock } from './clock.ts';
import type { Applied, Outcome } from './outcome.ts';
import { openTable, type TableWriter } from './table-writer.ts';
import { appendPrefix, type ParsedWrite, readLine, type WriteLine } from './write-line.ts';

export type Writer = {
  /** One outcome for each line, whatever goes wrong: nothing is thrown for a disk that fails. */
  apply(lines: readonly WriteLine[]): Applied;
  /** Tries nothing. */
  refuse(lines: readonly WriteLine[], cause: string): Applied;
  /** Leaves no commit behind of which it is unknown whether the next start will find it; throws where the disk still fails. */
  settle(): void;
  close(): void;
};

export function openWriter(db: Database, shapes: readonly Shape[], clock = openClock(db)): Writer {
  const tables = shapes.map((shape) => openTable(db, shape));
  const newest = db.prepare<{ seq: number }, []>(lastChangeStatement);
  let lastChange = newest.get()?.seq ?? 0;
  /** A commit failed in a way that may have left it whole in the log. */
  let doubtful = false;

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

  function applyOne(write: Exclude<ParsedWrite, { kind: 'append' }>, now: string): Outcome {
    switch (write.kind) {
      case 'append once':
        return tableAt(write.place).appendOnce(write.once, write.json, now);
      case 'bulk':
        return tableAt(write.place).appendAll(write.spooled, write.once, now);
      case 'remove':
        return tableAt(write.place).remove(write.id, write.when, now);
      case 'change': {
        const { place, seq, when, json } = write;
        const table = tableAt(place);
        return json === undefined ? table.discard(seq, when, now) : table.update(seq, when, json, now);
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

  type Apply = (lines: readonly WriteLine[], now: string) => Outcome[];

  const transaction = db.transaction((apply: Apply, lines: readonly WriteLine[], now: string) => {
    const outcomes = apply(lines, now);
    return { outcomes, lastChange: newest.get()?.seq ?? 0 };
  });

  function commit(apply: Apply, lines: readonly WriteLine[], now: string): Outcome[] {
    const committed = transaction.immediate(apply, lines, now);
    lastChange = committed.lastChange;
    return committed.outcomes;
  }

  /** Inside a transaction it is a savepoint. */
  const savepoint = db.transaction((line: WriteLine, now: string) => applyAll([line], now)[0] ?? 'missing');

  /** One of them is at fault, and must not fail its neighbours. All others are still one commit. */
  function applyEach(lines: readonly WriteLine[], now: string): Outcome[] {
    return lines.map((line) => {
      try {
        return savepoint(line, now);
      } catch (error) {
        if (diskError(error) !== undefined) throw error;
        reload();
        return { failed: String(error) };
      }
    });
  }

  /**
   * After a failed sync the commit stays in SQLite's log, invisible, and the next start would replay it. The next commit
   * takes its place in the log: once that one is synced, the failed one is gone for certain.
   */
  function settle(): void {
    if (!doubtful) return;
    db.run("insert or replace into settings values ('settled', ?)", [clock()]);
    doubtful = false;
  }

  /** Where the disk failed, undefined where it was a write that did: then others may do without it. */
  function refusal(error: unknown): Outcome | undefined {
    reload();
    const cause = diskError(error);
    if (cause === undefined) return undefined;
    if (!leavesDoubt(error)) return { refused: 'unavailable', cause };
    doubtful = true;
    try {
      settle();
      return { refused: 'unavailable', cause };
    } catch {
      return { refused: 'unknown', cause };
    }
  }

  function refuseAll(lines: readonly WriteLine[], cause: string): Outcome[] {
    const refused: Outcome = { refused: 'unavailable', cause };
    return lines.map(() => refused);
  }

  function outcomesOf(lines: readonly WriteLine[], now: string): Outcome[] {
    try {
      settle();
    } catch (error) {
      return refuseAll(lines, diskError(error) ?? String(error));
    }
    for (const apply of [applyAll, applyEach]) {
      try {
        return commit(apply, lines, now);
      } catch (error) {
        const outcome = refusal(error);
        if (outcome !== undefined) return lines.map(() => outcome);
      }
    }
    return refuseAll(lines, 'the batch cannot be applied');
  }

  return {
    apply(lines) {
      const at = clock();
      return { outcomes: outcomesOf(lines, at), at, lastChange };
    },
    refuse: (lines, cause) => ({ outcomes: refuseAll(lines, cause), at: clock(), lastChange }),
    settle,
    close() {
      newest.finalize();
      for (const table of tables) table.close();
    },
  };
}
