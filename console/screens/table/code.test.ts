import { afterAll, expect, test } from 'bun:test';
import type { Collection } from '../../api/declarations.ts';
import { deletionBatches } from '../../api/delete-many.ts';
import { rowOf } from '../../api/pages.ts';

/** What the code of the page reads when it is loaded. */
const page = {
  location: { origin: 'http://127.0.0.1:8000', search: '', pathname: '/console' },
  document: { getElementById: () => null },
};
const { origin } = page.location;
const before = Object.keys(page).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
for (const [name, value] of Object.entries(page))
  Object.defineProperty(globalThis, name, { value, configurable: true });
const { deletionCode } = await import('./code.ts');
afterAll(() => {
  for (const [name, had] of before)
    if (had === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, had);
});

const notes: Collection = { name: 'notes', singular: 'note', fields: {}, contract: false };
const rows = (count: number) =>
  Array.from({ length: count }, (_, place) =>
    rowOf(
      new Map([
        ['id', String(place + 1)],
        ['version', '3'],
      ]),
    ),
  );

test.each([
  ['one transaction', 2],
  ['several', 1001],
])('the deletion of a selection as code sends %s', async (_, count) => {
  const batches = deletionBatches(notes, rows(count));
  const { curl, typescript } = deletionCode(batches, false);
  const sent: { url: string; method: string; headers: object; body: string }[] = [];
  const answer = async (url: string, options: { method: string; headers: object; body: string }) => {
    sent.push({ url, ...options });
    return Response.json({});
  };
  await new Function('fetch', 'console', `return (async () => {${typescript}})()`)(answer, { log: () => {} });
  const expected = batches.map(({ request: { method, path, headers, body } }) => {
    return { url: `${origin}${path}`, method, headers, body };
  });
  expect(sent as unknown[]).toEqual(expected);
  const commands = curl.split('\n').filter((line) => line.startsWith('curl '));
  expect(commands).toHaveLength(batches.length);
  for (const command of commands) expect(command).toContain(`${origin}/api/v2/transactions`);
});
