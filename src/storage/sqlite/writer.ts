/** Applies batches of writes, each in one transaction with its change rows. Runs on a thread of its own. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import { encoder, type FieldValue } from '../../domain/encode.ts';
import { exactInteger } from '../../domain/integer.ts';
import { mayLoseDigits, parseJson } from '../../domain/json.ts';
import { type Bulked, type Once, type Unchanged, type Versions, withId } from '../../domain/store.ts';
import { encodeBulked } from '../bulk.ts';
import { trimmedAtOnce } from '../changes.ts';
import type { RepeatedRow } from '../idempotency.ts';
import { linesOf, type Spooled } from '../spool.ts';
import { createdStatement, insertStatement, type Shape, writeStatements } from './sql.ts';

/**
 * A write crosses threads as one line of text, because a string is the cheapest thing to send. JSON has no raw line
 * break in it, so lines are safe to join.
 */
export type WriteLine = string;

/** Adds a record, given as its JSON, to the collection with this place; without an id it gets its number for one. */
export function appendLine(place: number, json: string): WriteLine {
  return `+${place} ${json}`;
}

export function removeLine(place: number, id: bigint): WriteLine {
  return `-${place} ${id}`;
}

/** Replaces a record, or removes it where there is no JSON, if it has one of the versions. */
export function changeLine(place: number, seq: number, versions: Versions, json: string | undefined): WriteLine {
  return `=${place} ${seq} ${versions?.join() ?? '*'} ${json ?? ''}`;
}

/** Adds a record unless that was done under this key, which has no space in it. */
export function onceLine(place: number, { key, digest, after }: Once, json: string): WriteLine {
  return `?${place} ${key} ${digest} ${after} ${json}`;
}

/** Adds the records that were set aside, once where there is a key. */
export function bulkLine(place: number, { fd, size }: Spooled, once: Once | undefined): WriteLine {
  const under = once === undefined ? '' : ` ${once.key} ${once.digest} ${once.after}`;
  return `*${place} ${fd} ${size}${under}`;
}

/** Forgets the keys from before a moment. */
export function forgetLine(before: string): WriteLine {
  return `~0 ${before}`;
}

/** Forgets some of the changes from before a moment. */
export function trimLine(before: string): WriteLine {
  return `!0 ${before}`;
}

export type Trimmed = { readonly trimmed: number };

/** The record that was taken away, its id, and the number of the one that has this id first then, 0 for none. */
export type Removed = { readonly removed: number; readonly id: string; readonly next: number };
/** The id that the record had before, and the number of the one that has this id first now, 0 for none. */
export type Replaced = {
  readonly version: number;
  readonly createdAt: string;
  readonly id: string;
  readonly next: number;
};

/** What became of a write: the number of the record that was added, what was removed or replaced, or why nothing was. */
export type Outcome =
  | number
  | Removed
  | Replaced
  | Bulked
  | RepeatedRow
  | 'mismatch'
  | Trimmed
  | Unchanged
  | { readonly failed: string };

export type Applied = { readonly outcomes: readonly Outcome[]; readonly at: string };
export type Writer = { apply(lines: readonly WriteLine[]): Applied; close(): void };

/** A row costs half as much among others in one statement; runs are put together from these, the largest first. */
const rowsAtOnce = [64, 32, 16, 8, 4, 2, 1];

/** Failures of the disk or the file: the whole batch fails, and trying it row by row would not help. */
const ofTheDisk = /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|BUSY|LOCKED|NOMEM|PROTOCOL)/;

export function openWriter(db: Database, shapes: readonly Shape[]): Writer {
  const tables = shapes.map((shape) => openTable(db, shape));
  function reload(): void {
    for (const table of tables) table.reload();
  }

  /** What was forgotten last is noted, so that whoever asks for it can be told. */
  function trim(before: string): number {
    using old = db.prepare<{ seq: number; at: string }, [number]>('select seq, at from changes order by seq limit ?');
    const gone = old.all(trimmedAtOnce).filter(({ at }) => at < before);
    const last = gone.at(-1)?.seq;
    if (last === undefined) return 0;
    db.run('delete from changes where seq <= ?', [last]);
    db.run("insert or replace into settings values ('trimmed', ?)", [String(last)]);
    return gone.length;
  }

  /** Runs of additions to one collection are inserted together. */
  function applyAll(lines: readonly WriteLine[], now: string): Outcome[] {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < lines.length; ) {
      const { kind, place, rest } = parseLine(lines[at] ?? '');
      const table = tables[place];
      if (table === undefined) throw new Error(`there is no collection at place ${place}`);
      if (kind === '-') {
        outcomes.push(table.remove(BigInt(rest), now));
        at++;
        continue;
      }
      if (kind === '?') {
        const [, key = '', digest = '', after = '', json = ''] = /^(\S+) (\S+) (\S+) (.*)$/s.exec(rest) ?? [];
        outcomes.push(table.appendOnce({ key, digest, after }, json, now));
        at++;
        continue;
      }
      if (kind === '*') {
        const [fd, size, key, digest = '', after = ''] = rest.split(' ');
        const once = key === undefined ? undefined : { key, digest, after };
        outcomes.push(table.appendAll({ fd: Number(fd), size: Number(size) }, once, now));
        at++;
        continue;
      }
      if (kind === '~') {
        db.run('delete from idempotency_keys where at < ?', [rest]);
        outcomes.push({ trimmed: 0 });
        at++;
        continue;
      }
      if (kind === '!') {
        outcomes.push({ trimmed: trim(rest) });
        at++;
        continue;
      }
      if (kind === '=') {
        const [, seq, listed, json = ''] = /^(\d+) (\S*) (.*)$/s.exec(rest) ?? [];
        const versions = listed === '*' ? undefined : (listed?.split(',').map(Number) ?? []);
        outcomes.push(
          json === '' ? table.discard(Number(seq), versions, now) : table.replace(Number(seq), versions, json, now),
        );
        at++;
        continue;
      }
      const prefix = `+${place} `;
      const run: string[] = [];
      while (lines[at]?.startsWith(prefix)) run.push((lines[at++] ?? '').slice(prefix.length));
      const first = table.append(run, now);
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
      const at = new Date().toISOString();
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

function parseLine(line: WriteLine) {
  const space = line.indexOf(' ');
  return { kind: line[0], place: Number(line.slice(1, space)), rest: line.slice(space + 1) };
}

type StoredRow = Record<string, FieldValue> & {
  seq: bigint;
  id: bigint;
  version: bigint;
  created_at: string;
  updated_at: string;
};

function openTable(db: Database, shape: Shape) {
  const sql = writeStatements(shape);
  const statements: Statement[] = [];
  function prepare<Row>(text: string): Statement<Row, SQLQueryBindings[]> {
    const statement = db.prepare<Row, SQLQueryBindings[]>(text);
    statements.push(statement);
    return statement;
  }
  const inserts = rowsAtOnce.map((rows) => ({
    rows,
    record: prepare(insertStatement(shape, rows)),
    change: prepare(createdStatement(shape, rows)),
  }));
  const remove = prepare<StoredRow>(sql.remove).safeIntegers(true);
  const get = prepare<StoredRow>(sql.get).safeIntegers(true);
  const update = prepare(sql.replace);
  const noteReplaced = prepare(sql.replaced);
  const discardOne = prepare(sql.discard);
  const noteRemoved = prepare(sql.removed);
  const firstSeq = prepare<{ seq: number | null }>(sql.firstSeq);
  const lastSeq = prepare<{ seq: number }>(sql.lastSeq);
  const findKey = prepare<{ digest: string; at: string; record_seq: number; record: string }>(
    'select digest, at, record_seq, record from idempotency_keys where collection = ? and key = ?',
  );
  const noteKey = prepare('insert or replace into idempotency_keys values (?, ?, ?, ?, ?, ?)');
  const keys = Object.keys(shape.fields);
  const encode = encoder(shape.fields);

  // Numbers are given out here, so that many rows can go into one statement and none needs to be read back.
  let last = 0;
  const reload = () => {
    last = lastSeq.get()?.seq ?? 0;
  };
  reload();

  /** What was encoded is valid; only an integer that no double holds is not what JSON.parse makes of it. */
  function values(json: string): SQLQueryBindings[] {
    const { value, literal } = parseJson(json);
    return keys.map((key) => {
      const digits = shape.fields[key]?.kind === 'integer' ? literal(key) : undefined;
      const exact = digits === undefined ? undefined : exactInteger(digits);
      return typeof exact === 'bigint' ? exact : ((value as Record<string, string | number>)[key] ?? null);
    });
  }

  /** Those of many records, one behind the other: where no digit can be lost, all are read in one go. */
  function valuesOf(records: readonly string[]): SQLQueryBindings[] {
    const text = records.join();
    if (mayLoseDigits(text)) return records.flatMap(values);
    const found: SQLQueryBindings[] = [];
    const rows: Record<string, string | number>[] = JSON.parse(`[${text}]`);
    for (const row of rows) for (const key of keys) found.push(row[key] ?? null);
    return found;
  }

  /** Answers the number of the first; those of the others follow it. */
  function append(run: readonly string[], now: string): number {
    const first = last + 1;
    let at = 0;
    for (const { rows, record, change } of inserts) {
      for (; run.length - at >= rows; at += rows) {
        const seq = last + 1;
        const whole = run.slice(at, at + rows).map((json, index) => withId(json, seq + index));
        record.run(now, seq, ...valuesOf(whole));
        change.run(now, seq, ...whole);
        last += rows;
      }
    }
    return first;
  }

  /** What was done under this key before, if anything was. */
  function known({ key, digest, after }: Once): RepeatedRow | 'mismatch' | undefined {
    const found = findKey.get(shape.name, key);
    if (found === null || found.at < after) return undefined;
    return found.digest === digest ? { repeated: found.record_seq, at: found.at, json: found.record } : 'mismatch';
  }

  function appendOnce(once: Once, json: string, now: string): Outcome {
    const before = known(once);
    if (before !== undefined) return before;
    const seq = append([json], now);
    noteKey.run(shape.name, once.key, once.digest, now, seq, withId(json, seq));
    return seq;
  }

  function appendAll(spooled: Spooled, once: Once | undefined, now: string): Outcome {
    const before = once === undefined ? undefined : known(once);
    if (before !== undefined) return before;
    const first = last + 1;
    for (const lines of linesOf(spooled)) append(lines, now);
    const bulked = { created: last + 1 - first, first, last };
    if (once !== undefined) noteKey.run(shape.name, once.key, once.digest, now, first, encodeBulked(bulked));
    return bulked;
  }

  function removeFirst(id: bigint, now: string): Outcome {
    const removed = remove.get(id);
    return removed === null ? 'missing' : gone(removed, now);
  }

  function gone(removed: StoredRow, now: string): Removed {
    const { seq, id, version, created_at, updated_at } = removed;
    noteRemoved.run(seq, version, created_at, now, encode(removed), updated_at);
    return { removed: Number(seq), id: String(id), next: firstSeq.get(id)?.seq ?? 0 };
  }

  /** The record, or why it is not to be changed. */
  function current(seq: number, versions: Versions): StoredRow | Unchanged {
    const stored = get.get(seq);
    if (stored === null) return 'missing';
    return versions === undefined || versions.includes(Number(stored.version)) ? stored : 'conflict';
  }

  function replace(seq: number, versions: Versions, json: string, now: string): Outcome {
    const stored = current(seq, versions);
    if (typeof stored === 'string') return stored;
    const version = Number(stored.version) + 1;
    update.run(...values(json), version, now, seq);
    noteReplaced.run(seq, version, stored.created_at, now, json);
    const { id, created_at: createdAt } = stored;
    return { version, createdAt, id: String(id), next: firstSeq.get(id)?.seq ?? 0 };
  }

  function discard(seq: number, versions: Versions, now: string): Outcome {
    const stored = current(seq, versions);
    if (typeof stored === 'string') return stored;
    discardOne.run(seq);
    return gone(stored, now);
  }

  return {
    append,
    appendOnce,
    appendAll,
    remove: removeFirst,
    replace,
    discard,
    reload,
    close(): void {
      for (const statement of statements) statement.finalize();
    },
  };
}
