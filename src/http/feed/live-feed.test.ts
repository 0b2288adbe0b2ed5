/** The live feed when the database trims or loses changes, which happens rarely. */

import { describe, expect, jest, spyOn, test } from 'bun:test';
import { items } from '../../collections/items.ts';
import { users } from '../../collections/users.ts';
import { compileAccess } from '../../domain/access/compiled-access.ts';
import { everything, type View } from '../../domain/access/view.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Change, ChangeTransaction } from '../../domain/feed/change.ts';
import type { Feed } from '../../domain/feed/feed.ts';
import { everyChange, matching, type Selection, selectionOf } from '../../domain/feed/selection.ts';
import type { Client } from '../../domain/store/client.ts';
import { Shares } from '../../threads/limits/shares.ts';
import type { Live } from '../../wire/answer/reply.ts';
import { encodeChange } from './encode-change.ts';
import { LiveFeed } from './live-feed.ts';
import { batchLength } from './sse.ts';

const at = '2026-01-01T00:00:00.000Z';
const record = { recordId: 1, version: 1, createdAt: at, updatedAt: at, json: '{"id":1,"name":"x","price":1}' };

/** A table of changes without a database. */
function table() {
  let changes: Change[] = [];
  let trimmed = 0;
  let last = 0;
  let wake = () => {};
  const feed = {
    history: async () => ({ last, trimmed, gaps: [] }),
    changes: async ({ of, filter }: Selection, after: number, limit: number) => {
      const behind = changes.filter(
        ({ changeNumber, collection }) => changeNumber > after && (of === undefined || of === collection),
      );
      const more = behind.length > limit;
      const some = behind.slice(0, limit);
      const shown = filter === undefined ? some.map((change) => ({ change, shown: {} })) : matching(some, filter);
      const found = 'unknown' in shown ? { found: [], ...shown } : { found: shown };
      return { ...found, more, history: { last, trimmed, gaps: [] }, to: more ? some.at(-1)?.changeNumber : last };
    },
    watch: (notify: () => void) => {
      wake = notify;
      return () => {
        wake = () => {};
      };
    },
  } as unknown as Feed;
  return {
    feed,
    add: (count: number, transaction?: ChangeTransaction, more: Partial<Change> = {}) => {
      for (let n = 0; n < count; n++)
        changes.push({
          changeNumber: ++last,
          type: 'created',
          at,
          by: undefined,
          transaction,
          collection: items,
          singular: 'item',
          record,
          ...more,
        });
    },
    /** Of a collection that is not declared. */
    addUnserved: () => {
      last++;
    },
    trim: () => {
      trimmed = last;
      changes = [];
    },
    lose: (count: number) => {
      changes = changes.slice(0, -count);
      last -= count;
    },
    wake: () => wake(),
  };
}

const openSlots = () => new Shares<Client>(10, (client) => client);
const feedOver = (feed: Feed, slots = openSlots()) =>
  new LiveFeed(
    feed,
    ({ changeNumber }) => `{"seq":${changeNumber}}`,
    () => {},
    slots,
  );

async function receive(listener: Live): Promise<string> {
  const { value } = await listener.next();
  return value === undefined ? 'the end' : Buffer.from(value).toString();
}
const ids = (text: string) => [...text.matchAll(/^id: (\d+)\nevent: (\S+)/gm)].map(([, id, event]) => `${id} ${event}`);

test('changes that are trimmed before a listener gets them become a resync', async () => {
  const changes = table();
  const listener = await feedOver(changes.feed).listen(undefined, everyChange, 'client');
  expect(await receive(listener)).toContain('id: 0\n');
  changes.add(2);
  changes.wake();
  expect(ids(await receive(listener))).toEqual(['1 item.created', '2 item.created']);

  // Before the database notifies again.
  changes.add(3);
  changes.trim();
  changes.add(2);
  changes.wake();
  expect(ids(await receive(listener))).toEqual(['5 resync']);
  expect(ids(await receive(listener))).toEqual(['6 item.created', '7 item.created']);
  listener.return();
});

test('listeners that got changes that the database has lost are disconnected, to start over', async () => {
  const every = spyOn(globalThis, 'setInterval');
  const changes = table();
  const feed = feedOver(changes.feed);
  changes.add(5);
  const listener = await feed.listen(undefined, everyChange, 'client');
  const heartbeat = every.mock.calls[0]?.[0] as () => void;
  every.mockRestore();
  expect(await receive(listener)).toContain('id: 5\n');

  changes.lose(2);
  const next = receive(listener);
  heartbeat();
  // The heartbeat itself may still arrive.
  if ((await next) !== 'the end') expect(await receive(listener)).toBe('the end');
  const again = await feed.listen(5, everyChange, 'client');
  expect(ids(await receive(again))).toEqual(['3 resync']);
  again.return();
  expect(feed.slots.used).toBe(0);
});

test('changes whose read fails are read again, though nothing tells of them again', async () => {
  const changes = table();
  const listener = await feedOver(changes.feed).listen(undefined, everyChange, 'client');
  expect(await receive(listener)).toContain('id: 0\n');
  jest.useFakeTimers();
  const reading = spyOn(changes.feed, 'changes');
  try {
    const coming = receive(listener);
    changes.add(1);
    for (let failed = 1; failed <= 2; failed++) {
      reading.mockImplementationOnce(() => Promise.reject(new Error('timed out')));
      if (failed === 1) changes.wake();
      else jest.advanceTimersByTime(1000);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      expect(reading).toHaveBeenCalledTimes(failed);
    }
    jest.advanceTimersByTime(1000);
    expect(ids(await coming)).toEqual(['1 item.created']);
  } finally {
    jest.useRealTimers();
    reading.mockRestore();
    listener.return();
  }
});

test('a listener without access is disconnected at the next heartbeat', async () => {
  const every = spyOn(globalThis, 'setInterval');
  let may = true;
  const feed = feedOver(table().feed);
  const listener = await feed.listen(undefined, everyChange, 'client', async () => may);
  const heartbeat = every.mock.calls[0]?.[0] as () => void;
  every.mockRestore();
  await receive(listener);
  for (const expected of [': still here\nid: 0\n\n', 'the end']) {
    const next = receive(listener);
    heartbeat();
    if ((await next) !== expected) expect(await receive(listener)).toBe(expected);
    may = false;
  }
  expect(feed.slots.used).toBe(0);
});

test('a listener that gets no change learns how far the feed has looked, at once and with each heartbeat', async () => {
  const every = spyOn(globalThis, 'setInterval');
  const changes = table();
  changes.add(5);
  const feed = feedOver(changes.feed);
  const all = await feed.listen(undefined, everyChange, 'client');
  const heartbeat = every.mock.calls[0]?.[0] as () => void;
  every.mockRestore();
  await receive(all);
  changes.add(3);
  changes.wake();
  await receive(all);
  // The first position is in the table alone, the other one in memory.
  const quiet = [
    await feed.listen(1, selectionOf(everything(users)), 'client'),
    await feed.listen(6, selectionOf(everything(users)), 'client'),
  ];
  for (const listener of quiet) {
    await receive(listener);
    expect(await receive(listener)).toBe(': still here\nid: 8\n\n');
  }
  changes.addUnserved();
  for (const listener of quiet) {
    let text = '';
    while (!text.includes('id: 9\n')) {
      const next = receive(listener);
      // A heartbeat is for those that wait.
      await new Promise(setImmediate);
      heartbeat();
      text = await next;
      expect(ids(text)).toEqual([]);
    }
  }
  for (const listener of [all, ...quiet]) listener.return();
});

test('a listener that is far behind catches up part by part, without repetition', async () => {
  const changes = table();
  changes.add(25_000);
  const feed = feedOver(changes.feed);
  const [slow, live] = [
    await feed.listen(0, everyChange, 'client'),
    await feed.listen(undefined, everyChange, 'client'),
  ];
  changes.add(1200);
  changes.wake();
  for (const [listener, from] of [
    [slow, 1],
    [live, 25_001],
  ] as const) {
    await receive(listener);
    const received: string[] = [];
    while (received.length < 26_200 - from + 1) received.push(...ids(await receive(listener)));
    expect(received).toEqual(Array.from({ length: 26_200 - from + 1 }, (_, n) => `${from + n} item.created`));
    listener.return();
  }
});

test('a transaction is sent in one part, from the table and from memory', async () => {
  const changes = table();
  const eighth = 'x'.repeat(batchLength / 8);
  const feed = new LiveFeed(
    changes.feed,
    () => eighth,
    () => {},
    openSlots(),
  );
  const add = (before: number) => {
    changes.add(5);
    changes.add(4, { first: before + 6, size: 4 });
    changes.add(1);
  };
  add(0);
  const [behind, live] = [await feed.listen(0, everyChange, 'client'), await feed.listen(10, everyChange, 'client')];
  add(10);
  changes.wake();
  const numbers = (text: string) => ids(text).map((one) => Number.parseInt(one, 10));
  await receive(behind);
  expect(numbers(await receive(behind))).toEqual([1, 2, 3, 4, 5]);
  expect(numbers(await receive(behind))).toEqual([6, 7, 8, 9, 10, 11, 12, 13]);
  await receive(live);
  expect(numbers(await receive(live))).toEqual([11, 12, 13, 14, 15]);
  expect(numbers(await receive(live))).toEqual([16, 17, 18, 19, 20]);
  for (const listener of [behind, live]) listener.return();
});

test('the limit on listeners is that of the process, also for listeners that come together', async () => {
  const { feed } = table();
  const slots = openSlots();
  const [one, other] = [feedOver(feed, slots), feedOver(feed, slots)];
  const came = await Promise.allSettled(
    Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? one : other).listen(undefined, everyChange, `client ${n}`)),
  );
  const listeners = came.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(listeners).toHaveLength(10);
  expect(came.at(-1)).toMatchObject({ reason: { code: 'overloaded', retryAfter: 5 } });
  // A connection may be closed twice.
  for (const listener of [...listeners, ...listeners]) listener.return();
  expect(slots.used).toBe(0);
});

test('a listener that cannot begin does not count', async () => {
  const feed = feedOver({ history: () => Promise.reject(new Error('lost')) } as unknown as Feed);
  await feed.listen(undefined, everyChange, 'client').catch(() => {});
  expect(feed.slots.used).toBe(0);
});

test('a feed without listeners keeps no timer', async () => {
  const [started, cleared] = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')];
  try {
    const listener = await feedOver(table().feed).listen(undefined, everyChange, 'client');
    expect(started.mock.results).toHaveLength(1);
    listener.return();
    expect(cleared.mock.calls[0]?.[0] === started.mock.results[0]?.value).toBe(true);
  } finally {
    started.mockRestore();
    cleared.mockRestore();
  }
});

describe('listeners with a filter', () => {
  const named = (name: string): Selection =>
    selectionOf(everything(items), [{ field: 'name', operator: 'eq', values: [name] }]);
  const json = (name: string) => `{"id":1,"name":"${name}","price":1}`;
  const update = (name: string, before: string | undefined): Partial<Change> => ({
    type: 'updated',
    record: { ...record, json: json(name) },
    before: before === undefined ? undefined : `{"name":"${before}","version":1,"updated_at":"${at}"}`,
  });
  const matchingFeed = (feed: Feed) =>
    new LiveFeed(
      feed,
      ({ changeNumber }, shown) => `${changeNumber} ${shown?.match ?? 'all'}`,
      () => {},
      openSlots(),
    );
  const sent = (text: string) => [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data);

  test('get the changes that concern them, from the table and from memory', async () => {
    const changes = table();
    const add = () => {
      changes.add(1, undefined, { record: { ...record, json: json('x') } });
      changes.add(1, undefined, update('y', 'x'));
      changes.add(1, undefined, update('y', 'y'));
      changes.add(1, undefined, { type: 'deleted', record: { ...record, json: json('y') } });
    };
    add();
    const feed = matchingFeed(changes.feed);
    const live = await feed.listen(undefined, named('x'), 'client');
    const behind = await feed.listen(0, named('y'), 'client');
    add();
    changes.wake();
    await receive(live);
    expect(sent(await receive(live))).toEqual(['5 entered', '6 left']);
    await receive(behind);
    const found: (string | undefined)[] = [];
    while (found.length < 6) found.push(...sent(await receive(behind)));
    expect(found).toEqual(['2 entered', '3 stayed', '4 left', '6 entered', '7 stayed', '8 left']);
    for (const listener of [live, behind]) listener.return();
  });

  test('read each record once, however many filters there are', async () => {
    const changes = table();
    const feed = matchingFeed(changes.feed);
    const listeners = await Promise.all(
      Array.from({ length: 10 }, (_, n) => feed.listen(undefined, named(`x${n % 5}`), `client ${n}`)),
    );
    await Promise.all(listeners.map(receive));
    const reading = spyOn(items.record, 'encodeRecorded');
    const coming = listeners.map(receive);
    changes.add(1, undefined, update('x1', 'x2'));
    changes.add(1, undefined, update('x3', 'x4'));
    changes.wake();
    const [first, second, third, fourth] = (await Promise.all(coming.filter((_, n) => n % 5 > 0))).map(sent);
    expect([first, second, third, fourth]).toEqual([['1 entered'], ['1 left'], ['2 entered'], ['2 left']]);
    expect(reading).toHaveBeenCalledTimes(2);
    reading.mockRestore();
    for (const listener of listeners) listener.return();
  });

  test('get the same bytes if their filters find the same', async () => {
    const changes = table();
    const feed = matchingFeed(changes.feed);
    const cheap = (price: number): Selection =>
      selectionOf(everything(items), [{ field: 'price', operator: 'lt', values: [price] }]);
    const listeners = await Promise.all(
      [cheap(2), cheap(3), cheap(1)].map((one) => feed.listen(undefined, one, 'client')),
    );
    for (const listener of listeners) await receive(listener);
    const coming = listeners.slice(0, 2).map((listener) => listener.next());
    changes.add(2);
    changes.wake();
    const [one, other] = await Promise.all(coming);
    expect(sent(Buffer.from(one?.value ?? []).toString())).toEqual(['1 entered', '2 entered']);
    expect(other?.value).toBe(one?.value);
    expect(sent(await receive(listeners[2] as Live))).toEqual([]);
    for (const listener of listeners) listener.return();
  });

  test('never share bytes with a caller that sees other fields', async () => {
    const declared = { items: { all: { read: true }, names: { read: { fields: ['name'] } } } } as const;
    const access = compileAccess(
      { roles: { all: { from: 'anybody' }, names: { from: 'anybody' } }, collections: declared },
      [items],
    );
    const changes = table();
    const feed = new LiveFeed(changes.feed, encodeChange, () => {}, openSlots());
    const listeners = await Promise.all(
      ['all', 'names'].map((role) => {
        const view = access.viewOf({ id: role, name: role, scope: undefined, role } as Caller, items, 0);
        return feed.listen(undefined, selectionOf(view as View), role);
      }),
    );
    for (const listener of listeners) await receive(listener);
    const coming = listeners.map(receive);
    changes.add(1);
    changes.wake();
    const [whole = '', part = ''] = await Promise.all(coming);
    expect(whole).toContain('"price":1');
    expect(part).toContain('"name":"x"');
    expect(part).not.toContain('price');
    for (const listener of listeners) listener.return();
  });

  test('read the list again if a change does not say what was before it', async () => {
    const changes = table();
    changes.add(2, undefined, { record: { ...record, json: json('x') } });
    changes.add(1, undefined, update('x', undefined));
    const feed = matchingFeed(changes.feed);
    const [live, behind] = [await feed.listen(3, named('x'), 'client'), await feed.listen(0, named('x'), 'client')];
    await receive(behind);
    expect(ids(await receive(behind))).toEqual(['3 resync']);
    changes.add(1, undefined, update('x', undefined));
    changes.add(1, undefined, { record: { ...record, json: json('x') } });
    changes.wake();
    await receive(live);
    expect(ids(await receive(live))).toEqual(['5 resync']);
    expect(ids(await receive(behind))).toEqual(['5 resync']);
    changes.add(1, undefined, update('x', 'y'));
    changes.wake();
    expect(sent(await receive(live))).toEqual(['6 entered']);
    for (const listener of [live, behind]) listener.return();
  });
});
