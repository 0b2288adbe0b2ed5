/** Patterns: no text takes long to match. A pattern that could is refused, unless the database has it already. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { StartError } from '../src/domain/errors.ts';
import { patternOf } from '../src/domain/pattern/pattern.ts';
import { hostilePatterns } from '../torture/hostile-patterns.ts';
import { lastingEngines } from './engines.ts';
import { temporaryFolder } from './folder.ts';
import { declared } from './library.ts';
import { startShelf } from './process.ts';
import { startServer } from './server.ts';

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

test('a text that would take long to match is too long, and so are the elements of a list together', async () => {
  const pattern = 'a{9999}b';
  const longest = patternOf(pattern)?.longest ?? 0;
  expect(longest).toBeWithin(20_000, 100_000);
  const fields = {
    text: { type: 'text', pattern, optional: true },
    short: { type: 'text', pattern, max: 20_000, optional: true },
    list: { type: 'list', of: { type: 'text', pattern }, optional: true },
  };
  const server = await startServer({ collections: declared({ shelves: { singular: 'shelf_record', fields } }) });
  const send = async (body: object) => {
    const answer = await fetch(`${server.url}/api/v2/shelves`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.status === 201 ? 201 : JSON.stringify(await answer.json());
  };
  const text = (characters: number) => `${'a'.repeat(characters - 1)}b`;
  const half = text(Math.floor(longest / 2));
  expect(await send({ text: text(longest), short: text(20_000), list: [half, half] })).toBe(201);
  expect(await send({ text: text(longest + 1) })).toContain(
    `must have at most ${longest} characters; it has ${longest + 1}`,
  );
  expect(await send({ short: text(20_001) })).toContain('must have at most 20000 characters');
  expect(await send({ list: [half, half, text(10_000)] })).toContain(
    `must have at most ${longest} characters in all elements; it has ${2 * half.length + 10_000}`,
  );
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  expect(document).toContain(`"maxLength":${longest}`);
  await server.stop();
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

for (const [engine, newUrl] of lastingEngines()) {
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
