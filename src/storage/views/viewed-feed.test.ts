/** What a follower of a part gets does not depend on how many changes are hidden from it, or on how large they are. */
import { expect, test } from 'bun:test';
import { items } from '../../collections/items.ts';
import { compileAccess } from '../../domain/access/compiled-access.ts';
import type { Change } from '../../domain/feed/change.ts';
import { selectionOf } from '../../domain/feed/selection.ts';
import type { EngineFeed } from '../engine-feed.ts';
import { ViewedFeed } from './viewed-feed.ts';

const at = '2026-01-01T00:00:00.000Z';
const access = compileAccess(
  { roles: { some: { from: 'anybody' } }, collections: { items: { some: { read: { where: { name: 'seen' } } } } } },
  [items],
);
const view = access.viewOf({ id: '', name: '', scope: undefined, collections: undefined, role: 'some' }, items, 0);
if (view === undefined) throw new Error('there is a rule');
const selection = selectionOf(view);

let reads = 0;

function feedOf(names: readonly string[]): ViewedFeed {
  const all = names.map(
    (name, index): Change => ({
      changeNumber: index + 1,
      type: 'created',
      at,
      by: undefined,
      collection: items,
      singular: 'item',
      record: {
        recordId: index + 1,
        version: 1,
        createdAt: at,
        updatedAt: at,
        json: `{"id":1,"name":"${name}","price":1}`,
      },
    }),
  );
  const engine: Pick<EngineFeed, 'changes'> = {
    changes: async (after, limit) => {
      reads++;
      const changes = all.slice(after, after + limit);
      const more = after + limit < all.length;
      const to = more ? after + limit : all.length;
      return { changes, more, to, isPartial: false, history: { last: all.length, trimmed: 0, gaps: [] } };
    },
  };
  return new ViewedFeed(engine as EngineFeed);
}

const hidden = (count: number) => Array<string>(count).fill('hidden');
const numbersOf = async (feed: ViewedFeed, limit: number, bytes?: number) => {
  const { found, to, more } = await feed.changes(selection, 0, limit, bytes);
  return { numbers: found.map(({ change }) => change.changeNumber), to, more };
};

test('hidden changes take no room in a page', async () => {
  const feed = feedOf(['seen', ...hidden(2500), 'seen', 'seen', ...hidden(10)]);
  expect(await numbersOf(feed, 3)).toEqual({ numbers: [1, 2502, 2503], to: 2513, more: false });
  expect(await numbersOf(feed, 2)).toEqual({ numbers: [1, 2502], to: 2502, more: true });
});

test('the size of a page is that of what is shown', async () => {
  const feed = feedOf(['seen', ...hidden(1500), 'seen', 'seen']);
  expect(await numbersOf(feed, 10, 40)).toEqual({ numbers: [1, 1502], to: 1502, more: true });
});

test('followers that are behind at the same position share the read of the table', async () => {
  const feed = feedOf(['seen', 'hidden', 'seen']);
  reads = 0;
  const pages = await Promise.all([numbersOf(feed, 10), numbersOf(feed, 10)]);
  expect(pages[0]).toEqual(pages[1]);
  expect(pages[0].numbers).toEqual([1, 3]);
  expect(reads).toBe(1);
  await numbersOf(feed, 10);
  expect(reads).toBe(2);
});
