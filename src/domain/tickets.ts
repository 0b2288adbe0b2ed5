/**
 * Tickets for the live feed. A browser's EventSource can send no header, and a key in a URL would be logged on its way: a
 * page gets a ticket with its key, which is good for one connection and for a short time.
 */
import type { Caller } from './caller.ts';

export const ticketMs = 30_000;
/** So many of one caller may be unused at a time. */
export const maxTickets = 100;

export type Ticket = {
  /** SHA-256 of the ticket, in hex: what is kept lets nobody in. */
  readonly digest: string;
  readonly caller: Caller;
  /** Of the key that it was got with, which may be revoked later; undefined where that was a token. */
  readonly keyDigest: string | undefined;
};

export interface Tickets {
  /** Kept for `ticketMs`. False where its caller has `maxTickets` already. */
  add(ticket: Ticket): Promise<boolean>;
  /** At most once for each ticket, whichever instance is asked; undefined also where it has expired. */
  take(digest: string): Promise<Ticket | undefined>;
}
