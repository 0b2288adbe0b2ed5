/** The thread that reads what may take long, so that nobody who asks for one record waits behind a search of a million. */
import { giveWay } from '../../threads/give-way.ts';
import { connect } from './connection.ts';

declare const self: Worker;

export type Bindings = readonly (string | number | bigint)[];
export type Question = {
  readonly number: number;
  readonly sql: string;
  readonly parameters: Bindings;
  readonly bytes: number;
};
/** `more` where there were others that would have been too much. */
export type Found = { readonly rows: readonly (readonly (string | number | bigint)[])[]; readonly more: boolean };
export type Reply = { readonly number: number } & (Found | { readonly error: string });

giveWay();

/** First the name of the file, then questions; null is the last. */
self.onmessage = ({ data: filename }: MessageEvent<string>) => {
  const db = connect(filename);

  function answer({ number, sql, parameters, bytes: most }: Question): Reply {
    try {
      using statement = db.prepare<unknown, (string | number | bigint)[]>(sql).safeIntegers(true);
      const rows: (string | number | bigint)[][] = [];
      let bytes = 0;
      for (const found of statement.iterate(...parameters)) {
        if (bytes > most) return { number, rows, more: true };
        const row = Object.values(found as Record<string, string | number | bigint>);
        for (const value of row) bytes += typeof value === 'string' ? value.length : 8;
        rows.push(row);
      }
      return { number, rows, more: false };
    } catch (error) {
      return { number, error: String(error) };
    }
  }

  self.onmessage = ({ data }: MessageEvent<Question | null>) => {
    if (data !== null) {
      self.postMessage(answer(data));
      return;
    }
    db.close(true);
    self.postMessage(null);
  };
};
