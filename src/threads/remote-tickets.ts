/** Tickets that the main thread keeps: one that was issued on one thread is redeemed on any other, once. */
import type { Ticket, Tickets } from '../domain/store/tickets.ts';
import type { Calls } from './calls.ts';

export type TicketCalls = {
  addTicket(ticket: Ticket): Promise<boolean>;
  takeTicket(digest: string): Promise<Ticket | undefined>;
};

/** Served by the main thread. */
export function ticketCalls(tickets: Tickets): TicketCalls {
  return { addTicket: (ticket) => tickets.add(ticket), takeTicket: (digest) => tickets.take(digest) };
}

/** For every other thread. */
export function remoteTickets(main: Calls<TicketCalls>): Tickets {
  return { add: (ticket) => main.addTicket(ticket), take: (digest) => main.takeTicket(digest) };
}
