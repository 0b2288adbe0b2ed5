/** Tickets in memory: a SQLite database has one server at a time, and a ticket expires within seconds. */
import { maxTickets, type Ticket, type Tickets, ticketMs } from '../../domain/store/tickets.ts';

export function openTickets(now: () => number = () => performance.now()): Tickets {
  /** In order of expiry, because all tickets have the same TTL. */
  const unused = new Map<string, { readonly ticket: Ticket; readonly expiresAt: number }>();

  function dropExpired(): void {
    for (const [digest, { expiresAt }] of unused) {
      if (expiresAt > now()) return;
      unused.delete(digest);
    }
  }

  return {
    async add(ticket) {
      dropExpired();
      let count = 0;
      for (const one of unused.values()) if (one.ticket.caller.id === ticket.caller.id) count++;
      if (count >= maxTickets) return false;
      unused.set(ticket.digest, { ticket, expiresAt: now() + ticketMs });
      return true;
    },
    async take(digest) {
      dropExpired();
      const found = unused.get(digest);
      unused.delete(digest);
      return found?.ticket;
    },
  };
}
