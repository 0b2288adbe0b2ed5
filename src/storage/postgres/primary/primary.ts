/**
 * Follows the primary among several servers, and proves that it still is.
 *
 * A former primary that was paused or cut off may still answer. Its commits wait for a standby that follows another server
 * by now, so they are never acknowledged, but its reads are stale. Therefore an instance uses a server only for `leaseMs` after
 * it has sent a commit there that a standby has confirmed: no other server was promoted before. And an instance that finds
 * another primary waits for `handoverMs` before it uses it: by then the leases of all other instances have ended.
 */

import type { CurrentServer } from '../connect/current-server.ts';
import { NoPrimary, Unanswered } from '../connect/errors.ts';
import { serverName, withDeadline } from '../connect/pool.ts';
import { addressOf } from '../connect/servers.ts';
import { PrimaryConfirmation } from './confirm-primary.ts';
import { askRoles, newestPrimary, noPrimary, type PrimaryRole, type RoleOptions } from './find-primary.ts';

const leaseMs = 1000;
/** Longer than the lease, because clocks run at slightly different rates. */
const handoverMs = 1200;
/** How long a proof may take before the other servers are asked. */
const proofMs = 500;
const pauses = { first: 20, longest: 500 };

export type PrimaryOptions = RoleOptions & {
  /** Called when another server has become the primary, and at the first one, with no former one. */
  readonly onMoved: (to: PrimaryRole, from: PrimaryRole | undefined) => void;
};

export class Primary implements CurrentServer {
  #known: PrimaryRole | undefined;
  #usableAt = 0;
  /** When the last proof was sent. */
  #provenAt = Number.NEGATIVE_INFINITY;
  /** A proof from before a suspicion proves nothing. */
  #suspicions = 0;
  #failure: unknown;
  #establishing: Promise<void> | undefined;
  /** Until when a request waits for a primary. */
  #until = 0;
  #confirmation: PrimaryConfirmation | undefined;
  /** Of the sessions of this instance alone, so that a next one can end one that was given up. */
  readonly #proofName = `${serverName} proof ${crypto.randomUUID()}`;

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
    if (age > leaseMs / 2 && this.#confirmation?.isWaiting !== true) void this.#prove();
    return undefined;
  }

  suspect(): void {
    this.#provenAt = Number.NEGATIVE_INFINITY;
    this.#suspicions++;
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
    this.#dropConfirmation();
  }

  async #confirm(used: PrimaryRole | undefined): Promise<void> {
    const newest = newestPrimary(await askRoles(this.servers, this.options), this.#known);
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
      const roles = await askRoles(this.servers, this.options);
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
    this.#dropConfirmation();
    this.options.onMoved(newest, before);
  }

  /** False if the proof failed, or takes longer than `proofMs`. */
  async #prove(): Promise<boolean> {
    if (this.#confirmation === undefined || this.#confirmation.isStuck()) this.#replaceConfirmation();
    const confirmation = this.#confirmation;
    const suspicions = this.#suspicions;
    const proof = await withDeadline(
      confirmation?.proof() ?? Promise.resolve(undefined),
      performance.now() + proofMs,
    ).catch(() => undefined);
    if (proof === undefined || proof.timeline !== this.#known?.timeline) return false;
    if (confirmation !== this.#confirmation || suspicions !== this.#suspicions) return false;
    this.#provenAt = proof.sentAt;
    // One that took long has proven what was, not what is.
    return performance.now() - proof.sentAt < leaseMs;
  }

  #replaceConfirmation(): void {
    this.#confirmation?.close();
    const confirmation: PrimaryConfirmation = new PrimaryConfirmation(
      { ...this.options, url: this.url, applicationName: this.#proofName },
      () => {
        // After a crash a server shows commits that no standby has confirmed, until the next proof.
        if (this.#confirmation === confirmation) this.suspect();
      },
    );
    this.#confirmation = confirmation;
  }

  #dropConfirmation(): void {
    this.#confirmation?.close();
    this.#confirmation = undefined;
  }
}

function unconfirmed({ server }: PrimaryRole): NoPrimary {
  return new NoPrimary(
    `${addressOf(server)} accepts writes, but no standby confirms them`,
    'The database server that accepts writes cannot prove that it is still the primary: no synchronous standby confirms its commits.',
  );
}
