/** The thread that reads what may take long, so that nobody who asks for one record waits behind a search of a million. */
import { connect } from './connection.ts';

declare const self: Worker;

export type Bindings = readonly (string | number | bigint)[];
export type Question = { readonly number: number; readonly sql: string; readonly parameters: Bindings };
export type Reply = { readonly number: number } & (
  | { readonly rows: readonly (string | number | bigint)[][] }
  | { readonly error: string }
);

/** First the name of the file, then questions; null is the last. */
self.onmessage = ({ data: filename }: MessageEvent<string>) => {
  const db = connect(filename);

  function answer({ number, sql, parameters }: Question): Reply {
    try {
      using statement = db.prepare<unknown, (string | number | bigint)[]>(sql).safeIntegers(true);
      return { number, rows: statement.values(...parameters) as (string | number | bigint)[][] };
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
