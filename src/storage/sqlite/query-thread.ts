/** The thread that reads what may take long, so that nobody who asks for one record waits behind a search of a million. */
import { giveWay } from '../../threads/give-way.ts';
import { connect } from './connection.ts';
import { type Identity, requireSame } from './files.ts';
import { lastChangeStatement } from './sql.ts';

declare const self: Worker;

export type Bindings = readonly (string | number | bigint)[];
export type Question = {
  readonly number: number;
  readonly sql: string;
  readonly parameters: Bindings;
  readonly bytes: number;
};
/** `more` where there were others that would have been too much; `lastChange` is the last one that the rows include. */
export type Found = {
  readonly rows: readonly (readonly (string | number | bigint)[])[];
  readonly more: boolean;
  readonly lastChange: number;
};
/** `code` is SQLite's, where it was SQLite that failed. */
export type Reply = { readonly number: number } & (Found | { readonly error: string; readonly code?: string });

giveWay();

/** Sent once, first. */
export type Setup = { readonly filename: string; readonly opened: Identity };

/** First the set-up, answered with null; then questions; null is the last. */
self.onmessage = ({ data: { filename, opened } }: MessageEvent<Setup>) => {
  requireSame(filename, opened);
  const db = connect(filename);

  const newest = db.prepare<{ seq: number }, []>(lastChangeStatement);

  function read(sql: string, parameters: Bindings, most: number): Omit<Found, 'lastChange'> {
    using statement = db.prepare<unknown, (string | number | bigint)[]>(sql).safeIntegers(true);
    const rows: (string | number | bigint)[][] = [];
    let bytes = 0;
    for (const found of statement.iterate(...parameters)) {
      if (bytes > most) return { rows, more: true };
      const row = Object.values(found as Record<string, string | number | bigint>);
      for (const value of row) bytes += typeof value === 'string' ? value.length : 8;
      rows.push(row);
    }
    return { rows, more: false };
  }

  /** In one snapshot with the number of its last change. */
  const inSnapshot = db.transaction((sql: string, parameters: Bindings, most: number): Found => {
    return { ...read(sql, parameters, most), lastChange: newest.get()?.seq ?? 0 };
  });

  function answer({ number, sql, parameters, bytes }: Question): Reply {
    try {
      return { number, ...inSnapshot(sql, parameters, bytes) };
    } catch (error) {
      const { code } = error as { code?: string };
      return { number, error: String(error), ...(code === undefined ? {} : { code }) };
    }
  }

  self.onmessage = ({ data }: MessageEvent<Question | null>) => {
    if (data !== null) {
      self.postMessage(answer(data));
      return;
    }
    newest.finalize();
    db.close(true);
    self.postMessage(null);
  };
  self.postMessage(null);
};
