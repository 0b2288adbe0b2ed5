/** Wakes watchers when any instance has committed a change (LISTEN). The watchers read the change from its table. */
import type { SQL } from 'bun';
import { changesChannel } from '../connect/locks.ts';

/** Watchers are woken at this interval while LISTEN is not possible. */
const pollMs = 1000;

export class Listener {
  readonly #watching = new Set<() => void>();
  #sql: SQL | undefined;
  #listening = false;
  #timer: Timer | undefined;

  /** `open` creates the listening connection; undefined behind a pooler, where no connection stays with one client. */
  constructor(
    readonly open: (() => SQL) | undefined,
    /** Called at intervals while there are watchers: a connection to a server that has failed may stay silent. */
    readonly check: () => void = () => {},
  ) {}

  watch(wake: () => void): () => void {
    this.#watching.add(wake);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#poll(), pollMs);
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
    this.#disconnect();
  }

  /** Call when the database is on another server. */
  reconnect(): void {
    if (this.#timer === undefined) return;
    this.#disconnect();
    this.#listen();
  }

  #disconnect(): void {
    this.#listening = false;
    this.#sql?.close({ timeout: 0 }).catch(() => {});
    this.#sql = undefined;
  }

  #poll(): void {
    this.check();
    if (this.#listening) return;
    this.#wake();
    this.#listen();
  }

  /** The driver reconnects by itself, and then wakes the watchers too: a notification may have been missed. */
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
