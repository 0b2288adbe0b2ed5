/** `explain=true`: which index finds the records of a list, and which one to declare. */
import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { declared } from '../support/data/library.ts';
import { emptyEngines } from '../support/servers/engines.ts';
import { startServer } from '../support/servers/server.ts';

const collections = declared({
  books: {
    fields: {
      title: 'text',
      isbn: { type: 'text', max: 13, unique: true },
      state: { type: 'text', max: 20 },
      shelf: 'integer',
      price: { type: 'decimal', scale: 2 },
      row: 'integer',
      place: 'integer',
    },
    indexes: ['state'],
    unique: [['row', 'place'], { fields: ['shelf'], where: { price: { lt: '1' } } }],
  },
});

describe.each(emptyEngines)('%s', (_, newUrl) => {
  test('names the index, or the fields of the one to declare', async () => {
    const url = await newUrl();
    const server = await startServer({ database: url, collections });
    const lines = Array.from({ length: 2000 }, (_, n) =>
      JSON.stringify({
        title: `${n}`,
        isbn: `${n}`,
        state: `${n % 500}`,
        shelf: n,
        price: '1.00',
        row: n % 40,
        place: n,
      }),
    );
    expect((await fetch(`${server.url}/api/v2/books/bulk`, { method: 'POST', body: lines.join('\n') })).status).toBe(
      201,
    );
    const explain = async (query: string) =>
      (await fetch(`${server.url}/api/v2/books?${query}&explain=true`)).json() as Promise<{
        indexes: string[][];
        declare: string[] | null;
      }>;
    if (url.startsWith('postgres')) await analyzed(url);
    expect(await explain('isbn=7')).toEqual({ indexes: [['isbn']], declare: null });
    expect(await explain('state=7')).toEqual({ indexes: [['state']], declare: null });
    expect(await explain('id=7')).toEqual({ indexes: [['id']], declare: null });
    const any = (...alternatives: readonly object[]) =>
      `where=${encodeURIComponent(JSON.stringify({ any: alternatives }))}`;
    const both = any({ isbn: '7' }, { state: { in: ['7', '8'] }, title: '8' });
    expect(new Set((await explain(both)).indexes.flat())).toEqual(new Set(['isbn', 'state']));
    expect(await explain(any({ isbn: '7' }, { title: '8' }))).toMatchObject({ indexes: [] });
    expect(await explain('shelf=7')).toEqual({ indexes: [], declare: ['shelf'] });
    expect(await explain('shelf=7&title=x&sort=price')).toEqual({ indexes: [], declare: ['shelf', 'title', 'price'] });
    // A rule without a condition has an index of all records.
    expect(await explain('row=7&place=47&title[contains]=x')).toEqual({ indexes: [['row', 'place']], declare: null });
    expect(await explain('row=7&sort=place&limit=1')).toEqual({ indexes: [['row', 'place']], declare: null });
    expect(await explain('place=7')).toEqual({ indexes: [], declare: ['place'] });
    expect(await explain('title[contains]=x')).toEqual({ indexes: [], declare: null });
    expect(await explain('')).toEqual({ indexes: [], declare: null });
    const wrong = await fetch(`${server.url}/api/v2/books?explain=yes`);
    expect(await wrong.json()).toMatchObject({ detail: expect.stringContaining('explain: expected true') });
    await server.stop();
  });
});

/** Without statistics, PostgreSQL takes its indexes for worse than they are. */
async function analyzed(url: string): Promise<void> {
  const sql = new SQL(url);
  await sql.unsafe('analyze books');
  await sql.close();
}

describe.each(['write', 'all'] as const)('--auth %s', (auth) => {
  test('needs the scope admin, however the parameter is written', async () => {
    const server = await startServer({ collections, access: { auth } });
    const keyOf = async (scope: 'read' | 'admin') => {
      const order = { kind: 'create', name: scope, scope, collections: undefined, lastsMs: undefined } as const;
      return (await runKeys(server.store.admin.apiKeys, order, new Date(), collections)).output.trimEnd();
    };
    const [read, admin] = [await keyOf('read'), await keyOf('admin')];
    const status = async (query: string, key?: string) => {
      const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      return (await fetch(`${server.url}/api/v2/books?${query}`, { headers })).status;
    };
    for (const query of ['explain=true', '%65xplain=true', 'state=x&explain=true'])
      expect([await status(query), await status(query, read), await status(query, admin)]).toEqual([401, 403, 200]);
    expect(await status('state=explain', read)).toBe(200);
    await server.stop();
  });
});
