/** Rules with the time of the request, which differs from one page of a list to the next. */
import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/data/folder.ts';
import { declared } from '../../support/data/library.ts';
import { admin } from '../../support/data/private-library.ts';
import { type EngineUnderTest, emptyEngines } from '../../support/servers/engines.ts';
import { type RoleServer, startRoleServer } from '../../support/servers/role-server.ts';

const folder = temporaryFolder();
const engines: readonly EngineUnderTest[] = [...emptyEngines, ['sqlite', () => `sqlite:${join(folder, 'time.db')}`]];

const collections = declared({
  posts: { singular: 'post', fields: { title: 'text', shown_at: 'timestamp' } },
  meetings: { singular: 'meeting', fields: { title: 'text', day: 'date' } },
}).filter(({ name }) => name === 'posts' || name === 'meetings');
const reader = { role: 'reader' };

describe.each(engines)('%s', (_, newUrl) => {
  let server: RoleServer;
  const page = async (path: string) => {
    const { status, json } = await server.ask(reader, 'GET', path);
    const { data = [], next_cursor: cursor } = json as { data?: { title: string }[]; next_cursor?: string | null };
    return { status, titles: data.map(({ title }) => title), cursor };
  };

  beforeAll(async () => {
    const rules = {
      roles: { reader: { from: 'anybody' } },
      collections: {
        posts: { reader: { read: { where: { shown_at: { lte: '$now' } } } } },
        meetings: { reader: { read: { where: { day: { lte: '$today' } } } } },
      },
    } as const;
    server = await startRoleServer(collections, rules, await newUrl());
    const day = (n: number) => `2026-03-0${n}`;
    for (const n of [1, 2, 3, 4]) {
      await server.ask(admin, 'POST', '/api/v2/posts', { title: `${n}`, shown_at: `${day(n)}T12:00:00.000Z` });
      await server.ask(admin, 'POST', '/api/v2/meetings', { title: `${n}`, day: day(n) });
    }
  });
  afterAll(() => server.stop());
  afterEach(() => {
    setSystemTime();
  });

  test.each([
    ['posts, a moment later', '/api/v2/posts', '2026-03-03T11:59:59.999Z', '2026-03-03T12:00:00.000Z'],
    ['meetings, after midnight', '/api/v2/meetings', '2026-03-02T23:59:59.999Z', '2026-03-03T00:00:00.000Z'],
  ])('the next page of %s', async (__, path, before, after) => {
    setSystemTime(new Date(before));
    expect(await page(path)).toMatchObject({ titles: ['1', '2'], cursor: null });
    const first = await page(`${path}?limit=1`);
    setSystemTime(new Date(after));
    const next = await page(`${path}?limit=1&cursor=${first.cursor}`);
    // The rule is that of the request: what it shows by now is on the page.
    expect([first.titles, next.status, next.titles]).toEqual([['1'], 200, ['2']]);
    expect(await page(`${path}?limit=5&cursor=${next.cursor}`)).toMatchObject({ titles: ['3'], cursor: null });
  });
});
