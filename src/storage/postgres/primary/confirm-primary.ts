/** Proves that a server is still the primary: with a commit that ends only when a standby has confirmed it. */
import type { SQL } from 'bun';
import { type ConnectOptions, connect } from '../connect/pool.ts';
import { timelineOf } from './find-primary.ts';

export type Proof = { readonly sentAt: number; readonly timeline: number };

/** Writes a record of its own to the log, so that its commit is confirmed by a standby like any other. */
const proofStatement = `select pg_walfile_name(pg_current_wal_lsn()), pg_logical_emit_message(true, 'shelf', '')`;
/** A commit that waits for a standby keeps its session, also when its client has gone. */
const endFormer = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = $1 and usename = current_user and pid <> pg_backend_pid()`;
const idleSeconds = 10;

export class PrimaryConfirmation {
  readonly #sql: SQL;
  #hasConnected = false;
  #waiting: { readonly since: number; readonly proof: Promise<Proof | undefined> } | undefined;

  /** The application name must be that of this instance's proofs alone. */
  constructor(
    readonly options: Omit<ConnectOptions, 'giveUpOn'> & { readonly applicationName: string },
    /** Called when the connection is lost, or closed because it was idle. */
    onClosed: () => void,
  ) {
    this.#sql = connect(
      // A lock timeout does not interrupt a commit that waits for a standby.
      { ...options, giveUpOn: 'lock_timeout' },
      {
        max: 1,
        idleTimeout: idleSeconds,
        onclose: () => {
          this.#hasConnected = false;
          onClosed();
        },
      },
    );
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Its connection may be dead: replace it. */
  isStuck(): boolean {
    return this.#waiting !== undefined && performance.now() - this.#waiting.since > this.options.timeoutMs;
  }

  /** Undefined if it failed. One is in flight at a time: it may wait for a standby forever. */
  proof(): Promise<Proof | undefined> {
    this.#waiting ??= { since: performance.now(), proof: this.#ask() };
    return this.#waiting.proof;
  }

  close(): void {
    this.#sql.close({ timeout: 0 }).catch(() => {});
  }

  async #ask(): Promise<Proof | undefined> {
    try {
      if (!this.#hasConnected) await this.#sql.unsafe(endFormer, [this.options.applicationName]).values();
      this.#hasConnected = true;
      const sentAt = performance.now();
      const [row] = await this.#sql.unsafe(proofStatement).values();
      return { sentAt, timeline: timelineOf(row?.[0]) };
    } catch {
      return undefined;
    } finally {
      this.#waiting = undefined;
    }
  }
}
