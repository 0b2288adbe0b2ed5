/** Filters as large as the limits allow are answered by every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { maxConditions, maxContainedFolded, maxFolded } from '../../src/domain/where/where.ts';
import { declared } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const collections = declared({
  notes: {
    singular: 'note',
    fields: {
      title: 'text',
      pages: { type: 'integer', optional: true },
      seen_at: { type: 'timestamp', optional: true },
    },
  },
});
const title = 'kK.*[a]^$\\ '.repeat(100).slice(0, maxFolded);
const many = <Part>(part: (at: number) => Part) => Array.from({ length: maxConditions }, (_, at) => part(at));

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections });
    const body = JSON.stringify({ title, pages: 99, seen_at: '2026-11-15T09:30:00Z' });
    expect((await fetch(`${server.url}/api/v2/notes`, { method: 'POST', body })).status).toBe(201);
  });
  afterAll(() => server.stop());

  test.each([
    ['the longest text without case', { title: { eq_ci: title.toUpperCase() } }, 1],
    ['the longest part of it', { title: { contains_ci: title.toUpperCase().slice(1, 1 + maxContainedFolded) } }, 1],
    ['a longer part', { title: { contains_ci: title.slice(0, maxContainedFolded + 1) } }, undefined],
    ['the longest other text', { title: { contains: 'x'.repeat(5000), ne: title } }, 0],
    ['another text', { title: { eq_ci: `${title.slice(1)}x` } }, 0],
    ['many alternatives', { any: many((pages) => ({ pages })) }, 1],
    ['many texts without case', { any: many((at) => ({ title: { contains_ci: `${at}` } })) }, 0],
    ['many negations', { all: many((at) => ({ not: { pages: at + 100 } })) }, 1],
    ['empty alternatives', { any: many(() => ({})) }, 1],
    ['empty lists', { all: many(() => ({ pages: { in: [] } })) }, 0],
    ['all levels', { not: { any: [{ all: [{ not: { not: { any: [{ pages: 99 }] } } }] }] } }, undefined],
    ['five levels', { not: { any: [{ all: [{ not: { not: { pages: 99 } } }] }] } }, 0],
    ['a time and the time of a change', { seen_at: { lt: { field: 'created_at' } } }, 1],
    ['both times of a record', { created_at: { eq: { field: 'updated_at' } } }, 1],
  ])('%s', async (_name, where, found) => {
    const answer = await fetch(
      `${server.url}/api/v2/notes?count=exact&where=${encodeURIComponent(JSON.stringify(where))}`,
    );
    const { total } = (await answer.json()) as { total?: number };
    expect({ status: answer.status, total }).toEqual({ status: found === undefined ? 400 : 200, total: found });
  });

  test('texts without case tell the last characters of the first plane apart, and private ones', async () => {
    const titles = ['\ufffd', '\ufffe', '\uffff', '\u{f0000}', '\u{f0001}', '\u{f0002}'].map((one) => `Tell ${one}a`);
    for (const one of titles)
      await fetch(`${server.url}/api/v2/notes`, { method: 'POST', body: JSON.stringify({ title: one }) });
    const found = async (condition: object) => {
      const where = encodeURIComponent(JSON.stringify({ title: condition }));
      const { data } = (await (await fetch(`${server.url}/api/v2/notes?where=${where}`)).json()) as {
        data: { title: string }[];
      };
      return data.map((one) => one.title);
    };
    for (const one of titles) {
      expect(await found({ eq_ci: one.toUpperCase() })).toEqual([one]);
      expect(await found({ contains_ci: one.slice(3).toUpperCase() })).toEqual([one]);
    }
    expect(await found({ contains_ci: '\uffff\u{f0000}' })).toEqual([]);
  });
});
