/**
 * Tickets for the live feed. A browser's EventSource cannot send a header, and an API key in a URL would be logged on
 * its way. A page uses its key to get a ticket, which is valid for one connection and for a short time.
 */
import type { Caller } from '../caller.ts';

export const ticketMs = 30_000;
/** Unused tickets per caller. */
export const maxTickets = 100;

export type Ticket = {
  /** SHA-256 of the ticket, in hex: the stored digest cannot be used as a ticket. */
  readonly digest: string;
  readonly caller: Caller;
  /**
   * Digest of the API key that the ticket was issued for, because the key may be revoked later; undefined for a token.
   */
  readonly keyDigest: string | undefined;
};

export interface Tickets {
  /** Stored for `ticketMs`. False if the caller already has `maxTickets`. */
  add(ticket: Ticket): Promise<boolean>;
  /** Succeeds at most once per ticket over all instances; undefined also if the ticket has expired. */
  take(digest: string): Promise<Ticket | undefined>;
}
