/** docs/transactions.md against the real service: its file, its requests and answers, its tables and limits. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { failures } from '../../src/domain/errors.ts';
import { fewExamined, maxChanges, maxExamined, maxMatching, maxRecordBytes } from '../../src/domain/store/operation.ts';
import { maxName } from '../../src/domain/transaction/created-records.ts';
import { operationMembers } from '../../src/domain/transaction/operation-members.ts';
import { maxOperations } from '../../src/domain/transaction/read-transaction.ts';
import { declared } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { root } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const page = readFileSync(join(root, 'docs/transactions.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, kind, block = '']) => (kind === language ? block : []));

/** A command has quotes around its body, which may have several lines; the answer is the line after it. */
const examples = blocks('sh').flatMap((block) =>
  [
    ...block.matchAll(
      /^\$ curl '?http:\/\/127\.0\.0\.1:8000([^\s']+)'?(?: -H '([^']+)')?(?: -d \$?'([^']*)')?\n(.*)$/gm,
    ),
  ].map(([, path = '', header, body, shown = '']) => ({ path, header, body, shown })),
);

/** `...` stands for anything. */
const pattern = (shown: string) =>
  new RegExp(
    `^${shown
      .split('...')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );

test('every request is found', () => {
  expect(examples.length).toBe([...page.matchAll(/^\$ /gm)].length);
  expect(examples.length).toBeGreaterThan(9);
});

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    const { collections } = JSON.parse(blocks('json')[0] ?? '') as { collections: object };
    server = await startServer({ database: await newUrl(), collections: declared(collections) });
  });
  afterAll(() => server.stop());

  test('the answers are those that the page shows', async () => {
    for (const { path, header, body, shown } of examples) {
      const [name = '', value = ''] = header?.split(': ') ?? [];
      const answer = await fetch(server.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: name === '' ? {} : { [name]: value },
        ...(body === undefined ? {} : { body: body.replaceAll('\\n', '\n') }),
      });
      expect(await answer.text()).toMatch(pattern(shown));
    }
  });
});

test('the tables name every operation with its members, and failures that exist', () => {
  for (const [op, members] of Object.entries(operationMembers)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${op}\` |`)) ?? '';
    for (const member of members.slice(2)) expect(row.split(' | ')[1]).toContain(`\`${member}\``);
  }
  for (const [, codes = '', status] of page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (\d{3}) \|/gm))
    for (const [, code = ''] of codes.matchAll(/`(\w+)`/g))
      expect(failures[code as keyof typeof failures].status).toBe(Number(status) as never);
});

test('the limits are those of the code', () => {
  const shown = (number: number) => number.toLocaleString('en');
  expect(page).toContain(`1 to ${shown(maxOperations)} operations`);
  expect(page).toContain(`at most ${shown(maxMatching)} records in one transaction`);
  expect(page).toContain(`at most ${shown(maxChanges)} changes`);
  expect(page).toContain(`at most ${maxRecordBytes / 2 ** 20} MiB together`);
  expect(page).toContain(`at most ${fewExamined.records} records counts`);
  expect(page).toContain(`read ${shown(maxExamined.records)} records and take ${maxExamined.ms} ms`);
  expect(page).toContain(`\`as\` is 1 to ${maxName} characters`);
});
