/** Pages of large and small records: complete, in order and bounded in bytes, whatever the limit. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bytesAtOnce } from '../../src/storage/bytes-at-once.ts';
import { declared } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const notes = declared({
  notes: { fields: { title: 'text', body: { type: 'text', optional: true }, tags: { type: 'json', optional: true } } },
});

type Note = {
  readonly id: number;
  readonly title: string;
  readonly body: string | null;
  readonly tags: string | null;
};
type Page = { readonly data: readonly Note[]; readonly next_cursor: string | null };

const kib = 1024;
/** More than the share of one record in a page of 30, in one of 100, and in none. Some records have no large values. */
const sizes = [1, 400 * kib, 12 * kib, 0, 700 * kib, 40 * kib, 2 * kib, 800 * kib, 9 * kib, 3];
const records = Array.from({ length: 60 }, (_, n) => {
  const size = sizes[n % sizes.length] ?? 0;
  const large = size === 0 ? null : 'x'.repeat(size);
  // A JSON value has a limit of its own.
  const inTags = n % 3 === 0 && size <= 40 * kib;
  return { title: `note ${n}`, body: inTags ? null : large, tags: inTags ? large : null };
});
const largest = 800 * kib + 200;

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: notes });
    for (const record of records) {
      const made = await fetch(`${server.url}/api/v2/notes`, { method: 'POST', body: JSON.stringify(record) });
      expect(made.status).toBe(201);
    }
  });
  afterAll(() => server.stop());

  test.each([
    [1, 'id'],
    [3, '-id'],
    [30, 'title'],
    [100, 'id'],
    [101, '-id'],
    [1000, 'title'],
  ])('pages of %d by %s', async (limit, sort) => {
    const found: Note[] = [];
    const most = limit <= 3 ? limit * largest : bytesAtOnce + largest;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `notes?limit=${limit}&sort=${sort}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const text = await (await fetch(`${server.url}/api/v2/${path}`)).text();
      expect(text.length).toBeLessThan(most + limit * 200);
      const { data, next_cursor }: Page = JSON.parse(text);
      expect(data.length).toBeGreaterThan(0);
      found.push(...data);
      cursor = next_cursor;
    }
    const ordered = records.map((record, n) => ({ id: n + 1, ...record }));
    if (sort === 'title') ordered.sort((one, other) => (one.title < other.title ? -1 : 1));
    if (sort === '-id') ordered.reverse();
    expect(found.map(({ id, title, body, tags }) => ({ id, title, body, tags }))).toEqual(ordered);
  });
});
