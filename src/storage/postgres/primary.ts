/**
 * Follows the primary among several servers, and proves that it still is.
 *
 * A former primary that was paused or cut off may still answer. Its commits wait for a standby that follows another server
 * by now, so they are never acknowledged, but its reads are stale. Therefore an instance uses a server only for `leaseMs` after
 * it has sent a commit there that a standby has confirmed: no other server was promoted before. And an instance that finds
 * another primary waits for `handoverMs` before it uses it: by then the leases of all other instances have ended.
 */
import type { SQL } from 'bun';
import { addressOf } from '../servers.ts';
import { NoPrimary, Unanswered } from './errors.ts';
import { connect, withDeadline } from './pool.ts';
import { newestPrimary, noPrimary, type PrimaryRole, type SurveyOptions, survey, timelineOf } from './survey.ts';
import type { Target } from './target.ts';

const leaseMs = 1000;
/** Longer than the lease, because clocks run at slightly different rates. */
const handoverMs = 1200;
/** How long a proof may take before the other servers are asked. */
const proofMs = 500;
const pauses = { first: 20, longest: 500 };
const proofIdleSeconds = 10;

/** Writes a record of its own to the log, so that its commit is confirmed by a standby like any other. */
const proofStatement = `select pg_walfile_name(pg_current_wal_lsn()), pg_logical_emit_message(true, 'shelf', '')`;

export type PrimaryOptions = SurveyOptions & {
  /** Called when another server has become the primary, and at the first one, with no former one. */
  readonly onMoved: (to: PrimaryRole, from: PrimaryRole | undefined) => void;
};

export class Primary implements Target {
  #known: PrimaryRole | undefined;
  #usableAt = 0;
  /** When the last proof was sent. */
  #provenAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #establishing: Promise<void> | undefined;
  /** Until when a request waits for a primary. */
  #until = 0;
  #proofs: SQL | undefined;
  #proof: { readonly sentAt: number; readonly done: Promise<boolean> } | undefined;

  constructor(
    readonly servers: readonly string[],
    readonly options: PrimaryOptions,
  ) {}

  get url(): string {
    return this.#known?.server ?? this.servers[0] ?? '';
  }

  get isSynchronous(): boolean {
    return this.#known?.isSynchronous === true;
  }

  admit(deadline: number): Promise<void> | undefined {
    const age = performance.now() - this.#provenAt;
    if (age > leaseMs) return this.#wait(deadline);
    // Renewed in time, so that no request waits for it.
    if (age > leaseMs / 2 && this.#proof === undefined) void this.#prove();
    return undefined;
  }

  suspect(): void {
    this.#provenAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * The wait of a commit for a standby can be cancelled, by an operator for example, and the commit then looks like a
   * success. So another server is looked for before a slow write is acknowledged.
   */
  confirm(since: number): Promise<void> | undefined {
    return performance.now() - since > leaseMs ? this.#confirm(this.#known) : undefined;
  }

  close(): void {
    this.#until = 0;
    this.#dropProofs();
  }

  async #confirm(used: PrimaryRole | undefined): Promise<void> {
    const newest = newestPrimary(await survey(this.servers, this.options), this.#known);
    if (used === undefined || used !== this.#known || (newest !== undefined && newest.timeline !== used.timeline))
      throw new Unanswered('another server has become the primary');
  }

  async #wait(deadline: number): Promise<void> {
    this.#until = Math.max(this.#until, deadline);
    this.#establishing ??= this.#establish().finally(() => {
      this.#establishing = undefined;
    });
    try {
      await withDeadline(this.#establishing, deadline);
    } catch (error) {
      throw error instanceof Unanswered ? (this.#failure ?? error) : error;
    }
  }

  /** Shared by all requests that wait. */
  async #establish(): Promise<void> {
    this.#failure = undefined;
    for (let pause = pauses.first; ; pause = Math.min(pause * 2, pauses.longest)) {
      const roles = await survey(this.servers, this.options);
      const newest = newestPrimary(roles, this.#known);
      if (newest === undefined) this.#failure = noPrimary(roles);
      else {
        this.#use(newest);
        await Bun.sleep(Math.max(this.#usableAt - performance.now(), 0));
        if (await this.#prove()) return;
        this.#failure = unconfirmed(newest);
      }
      if (performance.now() + pause > this.#until) throw this.#failure;
      await Bun.sleep(pause);
    }
  }

  #use(newest: PrimaryRole): void {
    const before = this.#known;
    const isSame =
      newest.server === before?.server && newest.timeline === before.timeline && newest.system === before.system;
    this.#known = newest;
    if (isSame) return;
    this.#usableAt = performance.now() + handoverMs;
    this.suspect();
    this.#dropProofs();
    this.options.onMoved(newest, before);
  }

  /** False if the proof failed, or takes longer than `proofMs`. One is in flight at a time: it may wait on the server forever. */
  async #prove(): Promise<boolean> {
    const { timeoutMs } = this.options;
    if (this.#proof !== undefined && performance.now() - this.#proof.sentAt > timeoutMs) this.#dropProofs();
    this.#proof ??= this.#sendProof();
    const { done } = this.#proof;
    const isProven = await withDeadline(done, performance.now() + proofMs).catch(() => false);
    // One that took long has proven what was, not what is.
    return isProven && performance.now() - this.#provenAt < leaseMs;
  }

  #sendProof(): { readonly sentAt: number; readonly done: Promise<boolean> } {
    const sentAt = performance.now();
    const sql = this.#connection();
    const isCurrent = () => this.#proofs === sql;
    const ask = async (): Promise<boolean> => {
      try {
        const [row] = await sql.unsafe(proofStatement).values();
        if (!isCurrent() || timelineOf(row?.[0]) !== this.#known?.timeline) return false;
        this.#provenAt = sentAt;
        return true;
      } catch {
        if (isCurrent()) this.#dropProofs();
        return false;
      } finally {
        if (isCurrent()) this.#proof = undefined;
      }
    };
    return { sentAt, done: ask() };
  }

  #connection(): SQL {
    if (this.#proofs !== undefined) return this.#proofs;
    const sql: SQL = connect(
      // A lock timeout does not interrupt a commit that waits for a standby.
      { ...this.options, url: this.url, giveUpOn: 'lock_timeout' },
      {
        max: 1,
        idleTimeout: proofIdleSeconds,
        // After a crash a server shows commits that no standby has confirmed, until the next proof.
        onclose: () => {
          if (this.#proofs === sql) this.suspect();
        },
      },
    );
    this.#proofs = sql;
    return sql;
  }

  #dropProofs(): void {
    const sql = this.#proofs;
    this.#proofs = undefined;
    this.#proof = undefined;
    sql?.close({ timeout: 0 }).catch(() => {});
  }
}

function unconfirmed({ server }: PrimaryRole): NoPrimary {
  return new NoPrimary(
    `${addressOf(server)} accepts writes, but no standby confirms them`,
    'The database server that accepts writes cannot prove that it is still the primary: no synchronous standby confirms its commits.',
  );
}
