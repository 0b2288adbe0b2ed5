/** Who gets a ticket; test/access/tickets.test.ts tests its use. */
import { expect, test } from 'bun:test';
import type { ApiKey } from '../../domain/store/api-keys.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import { eventsRoute } from '../feed/events.ts';
import type { LiveFeed } from '../feed/live-feed.ts';
import { digestOf } from './auth.ts';
import { Guard } from './guard.ts';
import { ticketRoute } from './tickets.ts';

const token = 'shelf_key';

/** A guard with one key, for these collections. */
function guardOf(collections: readonly string[] | undefined): Guard {
  const times = { createdAt: '', expiresAt: undefined, revokedAt: undefined, lastUsedAt: undefined };
  const key: ApiKey = { ...times, id: 'k', name: 'k', digest: digestOf(token), scope: 'read', collections };
  return new Guard({
    auth: 'all',
    keys: { find: (digest: string) => (digest === key.digest ? key : undefined) } as never,
    verify: undefined,
    rate: undefined,
    redeemTicket: async () => undefined,
    addressOf: () => '',
  });
}

const requestWith = (key: string) =>
  ({ target: '/api/v2/events/ticket', header: (name: string) => (name === 'x-api-key' ? key : null) }) as Incoming;
const context = () => ({ headers: undefined, caller: undefined }) as never;
const route = ticketRoute({} as Store, 'all');

test.each([
  ['every collection', undefined],
  ['one collection', ['items']],
  ['some collections', ['users', 'items']],
])('a key for %s can get a ticket: its use checks the collection', async (_, collections) => {
  const caller = await guardOf(collections).pass(route, requestWith(token), context());
  expect(caller).toMatchObject({ id: 'k', collections });
});

test('without a valid key there is no ticket', () => {
  expect(() => guardOf(undefined).pass(route, requestWith('other'), context())).toThrow(
    expect.objectContaining({ code: 'unauthorized' }),
  );
});

test('the documentation has the ticket route in the group of the live feed', () => {
  const feed = eventsRoute([], {} as LiveFeed);
  expect(feed.operation?.tag).toBeTruthy();
  expect(route.operation?.tag).toBe(feed.operation?.tag);
});
