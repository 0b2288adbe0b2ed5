/** Issues and redeems tickets for the live feed. */
import Type from 'typebox';
import type { Caller } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import type { Store } from '../../domain/store/store.ts';
import { maxTickets, type Ticket, ticketMs } from '../../domain/store/tickets.ts';
import { jsonContent, readFailures } from '../route/operation.ts';
import { privateJson } from '../route/reply.ts';
import type { Route } from '../route/route.ts';
import { int64 } from '../route/schemas.ts';
import { type AuthMode, digestOf, tokenOf } from './auth.ts';

const randomBytes = 24;
/** The seal shows a forged ticket without a query, so that guesses put no load on the database. */
const sealBytes = 16;

function seal(secret: string, random: Uint8Array): Buffer {
  return new Bun.CryptoHasher('sha256', secret).update('ticket\n').update(random).digest().subarray(0, sealBytes);
}

async function newTicket(store: Store): Promise<string> {
  const random = crypto.getRandomValues(new Uint8Array(randomBytes));
  return Buffer.concat([random, seal(await store.admin.secret(), random)]).toString('base64url');
}

/** Undefined if the ticket is forged, used or expired. */
export async function redeemTicket(store: Store, text: string): Promise<Ticket | undefined> {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== randomBytes + sealBytes) return undefined;
  const expected = seal(await store.admin.secret(), bytes.subarray(0, randomBytes));
  if (!crypto.timingSafeEqual(bytes.subarray(randomBytes), expected)) return undefined;
  return store.admin.tickets.take(digestOf(text));
}

/** The ticket in the query; undefined if there is none. */
export function ticketIn(target: string): string | undefined {
  const start = target.indexOf('?');
  return start < 0 ? undefined : (new URLSearchParams(target.slice(start + 1)).get('ticket') ?? undefined);
}

export function ticketRoute(store: Store, auth: AuthMode): Route {
  const example = { ticket: 'r5bHkWm1...', expires_in: ticketMs / 1000 };

  async function save(text: string, caller: Caller, token: string | undefined): Promise<void> {
    // A token is not looked up again: it has its own expiry. A caller without a key has the role of anybody.
    const keyDigest = caller.isToken || token === undefined ? undefined : digestOf(token);
    if (await store.admin.tickets.add({ digest: digestOf(text), caller, keyDigest })) return;
    throw new Failure('rate_limited', {
      detail: `This key has ${maxTickets} unused tickets: use them, or wait.`,
      retryAfter: ticketMs / 1000,
    });
  }

  return {
    method: 'POST',
    sight: 'own rights',
    path: '/api/v2/events/ticket',
    access: 'read',
    collection: 'by query',
    operation: {
      id: 'createEventTicketV2',
      tag: 'v2 changes',
      summary: 'Issue a ticket for one connection to the live feed, for clients that cannot send a key',
      problems: true,
      answers: [
        {
          status: 201,
          description: 'A ticket: connect to /api/v2/events?ticket=... within expires_in seconds.',
          content: jsonContent(Type.Object({ ticket: Type.String(), expires_in: int64({ minimum: 1 }) }), example),
        },
      ],
      failures: ['rate_limited', ...readFailures],
    },
    handle: async ({ request, caller }) => {
      const ticket = await newTicket(store);
      // If listening needs no key, a ticket has no effect, and there is no caller to limit the stored tickets by.
      if (auth === 'all' || caller.role !== undefined) await save(ticket, caller, tokenOf(request));
      return privateJson(201, { ticket, expires_in: ticketMs / 1000 });
    },
  };
}
