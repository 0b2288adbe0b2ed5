/** Tells when somebody, on any instance, has committed a change. The table of changes says what it was. */
import type { SQL } from 'bun';
import { changesChannel } from './locks.ts';

/** While the database cannot be listened to it is looked at so often. */
const lookMs = 1000;

export class Listener {
  readonly #watching = new Set<() => void>();
  #sql: SQL | undefined;
  #listening = false;
  #timer: Timer | undefined;

  /** `open` makes the connection that listens; undefined behind a pooler, where none stays ours. */
  constructor(readonly open: (() => SQL) | undefined) {}

  watch(wake: () => void): () => void {
    this.#watching.add(wake);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#look(), lookMs);
      this.#listen();
    }
    return () => {
      this.#watching.delete(wake);
      if (this.#watching.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#listening = false;
    this.#sql?.close({ timeout: 0 }).catch(() => {});
    this.#sql = undefined;
  }

  #look(): void {
    if (this.#listening) return;
    this.#wake();
    this.#listen();
  }

  /** Goes on by itself when the connection breaks, and tells that it has, as something may have been missed. */
  #listen(): void {
    if (this.open === undefined || this.#sql !== undefined) return;
    const sql = this.open();
    this.#sql = sql;
    const wake = () => this.#wake();
    sql.listen(changesChannel, wake, wake).then(
      () => {
        if (this.#sql === sql) this.#listening = true;
      },
      () => {
        sql.close({ timeout: 0 }).catch(() => {});
        if (this.#sql === sql) this.#sql = undefined;
      },
    );
  }

  #wake(): void {
    for (const wake of this.#watching) wake();
  }
}
