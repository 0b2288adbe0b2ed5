/** Patterns: no text takes long to match. A pattern that could is refused, unless the database has it already. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { StartError } from '../../src/domain/errors.ts';
import { parseJson } from '../../src/domain/input/json.ts';
import { patternOf } from '../../src/domain/pattern/pattern.ts';
import type { Collection } from '../../src/domain/record/collection.ts';
import { Effort, maxWords } from '../../src/domain/record/pattern-effort.ts';
import { recordShape } from '../../src/domain/record/record.ts';
import { compileField } from '../../src/domain/types/all-types.ts';
import type { Field } from '../../src/domain/types/type.ts';
import { Bodies } from '../../src/http/body/json-body.ts';
import { bulkEntries } from '../../src/http/v2/bulk-records.ts';
import { storedIn } from '../../src/storage/transfer/folder/stored-line.ts';
import { newLongWork } from '../../src/threads/long-work.ts';
import { Body } from '../../src/wire/request/body.ts';
import type { Incoming } from '../../src/wire/request/incoming.ts';
import { hostilePatterns } from '../../torture/support/hostile-patterns.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared } from '../support/data/library.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startShelf } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

/** A text that counts how often a character is read. */
function counting(text: string): { readonly text: string; reads(): number } {
  let reads = 0;
  const at =
    (method: 'charCodeAt' | 'codePointAt') =>
    (place: number): number | undefined => {
      if (method === 'charCodeAt') reads++;
      return text[method](place);
    };
  const counted = { length: text.length, charCodeAt: at('charCodeAt'), codePointAt: at('codePointAt') };
  return { text: counted as unknown as string, reads: () => reads };
}

test('each character is read once at most, whatever the pattern is', () => {
  expect(hostilePatterns).toHaveLength(200);
  for (const { pattern, text } of hostilePatterns) {
    const found = patternOf(pattern);
    expect([pattern, found?.slow]).toEqual([pattern, undefined]);
    const counted = counting(text(2000));
    found?.test(counted.text);
    expect(counted.reads()).toBeWithin(1, 2001);
  }
});

const shelvesFile = (pattern: string | undefined, max = 9) => ({
  shelves: { singular: 'shelf_record', fields: { code: { type: 'text', max, ...(pattern && { pattern }) } } },
});
const shelves = (...given: Parameters<typeof shelvesFile>) => declared(shelvesFile(...given));
/** Compiled, and alone. */
function shelvesWith(...given: Parameters<typeof shelvesFile>): Collection {
  const found = shelves(...given).find(({ name }) => name === 'shelves');
  if (found === undefined) throw new Error('there is no such collection');
  return found;
}
const inList = (pattern: string) =>
  declared({
    shelves: { singular: 'shelf_record', fields: { code: { type: 'list', of: { type: 'text', pattern } } } },
  });

test.each<[string, string]>([
  ['^(?=a)', 'has a look-around, (?=...)'],
  ['(a)\\1', 'has a back reference, \\1'],
  ['^(?:[a-z]{1000}){100}$', 'is too large'],
])('a new collection with %s is refused', async (pattern, why) => {
  for (const collections of [shelves(pattern), inList(pattern)]) {
    const refused = await startServer({ collections }).then(String, (error: Error) => error);
    expect(refused).toBeInstanceOf(StartError);
    expect(String(refused)).toContain(
      `not done  shelves.code: the pattern ${why}, which can take very long; write it otherwise\nCorrect the file.`,
    );
  }
});

/** Takes very long for a character: more than 10,000 words. */
const dense = '(?:(?:a.{31})?){150}b';

test('the texts of a record that would take long to match are too long together, and so are the elements of a list', async () => {
  const pattern = 'a{9999}b';
  const longest = new Effort().longest(patternOf(pattern)?.words ?? 0);
  expect(longest).toBeWithin(20_000, 100_000);
  const text = { type: 'text', pattern, optional: true };
  const fields = {
    ...{ first: text, second: text, plain: { type: 'text', optional: true } },
    short: { ...text, max: 20_000 },
    list: { type: 'list', of: { type: 'text', pattern }, optional: true },
    dense: { type: 'list', of: { type: 'text', pattern: `${dense}|^$` }, optional: true },
  };
  const server = await startServer({
    collections: declared({ shelves: { singular: 'shelf_record', contract: true, fields } }),
  });
  const url = `${server.url}/api/v2/shelves`;
  const send = async (body: string | object, path = '', method = 'POST', type = 'application/json') => {
    const headers = { 'Content-Type': type };
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(url + path, { method, headers, body: sent });
    if (answer.ok) return answer.status;
    const { errors } = (await answer.json()) as { errors: { pointer: string; detail: string }[] };
    return errors.map(({ pointer, detail }) => `${pointer.slice(2)} ${detail}`).join();
  };
  const right = (characters: number) => `${'a'.repeat(characters - 1)}b`;
  const tooLong = (name: string, most: number, length: number) =>
    `${name} is too long for its pattern: at most ${most} characters are left for it in this record; it has ${length}`;
  const half = Math.floor(longest / 2);
  const plain = 'a'.repeat(50_000);

  expect(await send({ first: right(longest), plain })).toBe(201);
  expect(await send({ first: right(longest + 1) })).toBe(tooLong('first', longest, longest + 1));
  // One character more is counted for each text.
  expect(await send({ first: right(half), second: right(longest - half - 1) })).toBe(201);
  const both = { first: right(half), second: right(longest - half), plain };
  const wrong = tooLong('second', longest - half - 1, longest - half);
  expect(await send(both)).toBe(wrong);
  expect(await send(both, '/1', 'PUT')).toBe(wrong);
  expect(await send(both, '/1', 'PATCH', 'application/merge-patch+json')).toBe(wrong);
  expect(await send(both, '/bulk', 'POST', 'application/x-ndjson')).toBe(wrong);
  expect(await send(`first,second\n${both.first},${both.second}\n`, '/bulk', 'POST', 'text/csv')).toBe(wrong);
  const { status } = await fetch(`${server.url}/api/shelves`, {
    method: 'POST',
    body: JSON.stringify({ id: 1, ...both }),
  });
  expect(status).toBe(400);
  // Each line has its own.
  const one = JSON.stringify({ first: right(longest) });
  expect(await send(`${one}\n${one}\n`, '/bulk', 'POST', 'application/x-ndjson')).toBe(201);
  // An emoji is one character.
  expect(await send({ list: [`${'\u{1f600}'.repeat(longest - 20_001)}${right(20_000)}`] })).toBe(201);
  expect(await send({ list: [right(half), right(longest - half)] })).toBe(
    tooLong('list', longest - half - 1, longest - half).replace('list', 'list element 1'),
  );
  expect(await send({ dense: Array.from({ length: 9000 }, () => '') })).toContain('at most 0 characters are left');
  // A text that is not matched takes nothing.
  expect(await send({ first: right(longest), short: right(20_001) })).toBe(
    'short must have at most 20000 characters; it has 20001',
  );
  await server.stop();
});

test.each(['lines', 'csv'] as const)(
  'other requests get a turn in a bulk (%s) as often as its patterns need it',
  async (format) => {
    const words = patternOf(dense)?.words ?? 0;
    const text = `${'a'.repeat(99)}b`;
    const body = { lines: `${JSON.stringify({ code: text })}\n`.repeat(200), csv: `code\n${`${text}\n`.repeat(200)}` }[
      format
    ];
    async function groupsWith(pattern: string): Promise<readonly number[]> {
      const request = { body: Body.whole(body) } as Incoming;
      const call = { access: undefined, request, requester: { client: '', signal: undefined } };
      const limits = { bodies: new Bodies(1e6, newLongWork(1), true), maxBulk: 1e6, keepsSent: false };
      const groups: number[] = [];
      for await (const entries of bulkEntries({ format, isImport: false, call }, shelvesWith(pattern, 200), limits))
        groups.push(entries.length);
      await limits.bodies.close();
      return groups;
    }
    const groups = await groupsWith(dense);
    expect(groups.reduce((sum, lines) => sum + lines, 0)).toBe(200);
    // One record alone may take as much; some wait for their turn.
    expect(Math.max(...groups) * (text.length + 1) * words).toBeLessThan(1.5 * maxWords);
    // The last one has the end of the text.
    expect((await groupsWith('b')).length).toBeLessThan(5);
  },
);

test('a default is matched once', () => {
  let reads = 0;
  const field = compileField({ type: 'text', pattern: dense, default: 'b' });
  const read: Field['read'] = (...given) => {
    reads++;
    return field.read(...given);
  };
  const { parse } = recordShape('shelf', { code: { ...field, read } });
  for (let record = 0; record < 3; record++) expect(parse(parseJson('{}')).fields).toEqual({ code: 'b' });
  expect(reads).toBe(1);
});

test('what is stored is matched, however long that takes', () => {
  const shelf = shelvesWith('^a*$', 1_000_000);
  const line = (code: string) =>
    `{"id":1,"code":"${code}","version":1,"created_at":"2026-11-18T05:00:00.000Z","updated_at":"2026-11-18T05:00:00.000Z"}`;
  const code = 'a'.repeat(600_000);
  expect(storedIn(shelf, line(code))).toMatchObject({ recordId: 1, row: { code } });
  expect(storedIn(shelf, line('b'))).toBe('code must match the pattern ^a*$');
});

/** Another pattern in what the database remembers, as an earlier version may have left it. */
async function remember(url: string, before: string, after: string): Promise<void> {
  const [from, to] = [before, after].map((pattern) => JSON.stringify(pattern));
  if (url.startsWith('sqlite:')) {
    using db = new Database(url.slice('sqlite:'.length));
    db.run("update settings set value = replace(value, ?, ?) where name = 'collections'", [from ?? '', to ?? '']);
    return;
  }
  await using sql = new SQL(url);
  await sql`update settings set value = replace(value, ${from}, ${to}) where name = 'collections'`;
}

for (const [engine, newUrl] of migratedEngines()) {
  test(`${engine}: a pattern that the database has goes on, and is named`, async () => {
    const database = await newUrl();
    const [before, slow, other] = ['^[ab]', '^(?=a|b)', '^(?=b|a)'];
    await (await startServer({ database, collections: shelves(before) })).stop();
    await remember(database, before, slow);
    const config = join(temporaryFolder(), 'shelf.json');
    writeFileSync(config, JSON.stringify({ collections: shelvesFile(slow) }));
    const shelf = await startShelf({ args: ['--config', config], env: { DATABASE_URL: database } });
    await shelf.stop();
    expect(await shelf.errors()).toBe(
      'shelf: Warning: some texts take very long to match the pattern of shelves.code (it has a look-around, (?=...)), and other requests wait for that: write it otherwise.\n',
    );
    // Also if the field changes otherwise.
    const server = await startServer({ database, collections: shelves(slow, 10) });
    const send = async (code: string) =>
      (
        await fetch(`${server.url}/api/v2/shelves`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ code }),
        })
      ).status;
    expect(await send('a')).toBe(201);
    expect(await send('c')).toBe(400);
    await server.stop();
    const refused = await startServer({ database, collections: shelves(other, 10) }).then(String, String);
    expect(refused).toContain('shelves.code: the pattern has a look-around, (?=...)');
    // The way out loses nothing.
    await (await startServer({ database, collections: shelves(undefined, 10) })).stop();
  });
}
