/** docs/queries.md against the real service: every filter, request and limit that it shows. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bounds } from '../../src/domain/summary/bounds.ts';
import { operationsOf } from '../../src/domain/summary/columns.ts';
import { maxRows, most } from '../../src/domain/summary/summary.ts';
import {
  maxConditions,
  maxContainedFolded,
  maxFolded,
  maxLevels,
  maxSteps,
  maxText,
  operatorsOf,
} from '../../src/domain/where/where.ts';
import { maxWord, maxWordBytes } from '../../src/domain/words/split.ts';
import { declared, library } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { root } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const page = readFileSync(join(root, 'docs/queries.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
const [filter = '', file = ''] = blocks.flatMap(([, language, block = '']) => (language === 'json' ? [block] : []));
const examples = blocks.flatMap(([, language, block = '']) =>
  language === 'sh'
    ? [...block.matchAll(/^\$ (.*)\n(.*)$/gm)].map(([, command = '', shown = '']) => [command, shown])
    : [],
);
const rows = [...page.matchAll(/^\| `(\{.*\})` \| (.*) \|$/gm)].map(([, where = '', books = '']) => [where, books]);

/** Sends the request of a curl command to another address. */
async function curl(command: string, url: string): Promise<string> {
  const [, path = ''] = /http:\/\/127\.0\.0\.1:8000(\S+)/.exec(command) ?? [];
  const given = [...command.matchAll(/ (--data-urlencode|-d) (?:'([^']*)'|(\S+))/g)].map(
    ([, flag, quoted, plain = '']) => {
      const text = quoted ?? plain;
      const [name = '', ...value] = text.split('=');
      return flag === '-d' ? text : `${name}=${encodeURIComponent(value.join('='))}`;
    },
  );
  const isQuery = command.startsWith('curl -G ');
  const target = `${url}${path}${isQuery ? `?${given.join('&')}` : ''}`;
  return (await fetch(target, isQuery ? {} : { method: 'POST', body: given.join('&') })).text();
}

test('there are filters and requests', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(examples.length).toBeGreaterThan(7);
});

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  const idsOf = async (where: string) => {
    const answer = await fetch(`${server.url}/api/v2/books?where=${encodeURIComponent(where)}`);
    const { data } = (await answer.json()) as { data?: { id: number }[] };
    return data?.map(({ id }) => id).join(', ') || 'none';
  };
  beforeAll(async () => {
    const { collections } = JSON.parse(file) as { collections: unknown };
    server = await startServer({ database: await newUrl(), collections: declared(collections) });
    for (const [command = '', shown = ''] of examples) {
      const parts = shown.split('...').map((part) => RegExp.escape(part));
      expect(await curl(command, server.url)).toMatch(new RegExp(`^${parts.join('.*')}$`));
    }
  });
  afterAll(() => server.stop());

  test.each(rows)('%s finds %s', async (where = '', books = '') => {
    expect(await idsOf(where)).toBe(books);
  });

  test('the first filter is right', async () => {
    expect(await idsOf(filter)).toBe('1');
  });
});

test('the limits are those of the code', () => {
  const limits = [...page.matchAll(/^\| (\w[^|]*) \| (\d+) \|$/gm)].map(([, , value]) => Number(value));
  expect(limits).toEqual([
    ...[maxConditions, maxLevels, maxSteps, maxText, maxContainedFolded, maxFolded, maxWord, maxWordBytes],
    ...[most.groups, most.measures, maxRows, bounds.groups, bounds.values, bounds.bytes],
  ]);
});

const searched = declared({ notes: { fields: { text: { type: 'text', search: true } } } });

test('every operator is named', () => {
  const fields = [...library, ...searched].flatMap(({ columns }) => [...columns.values()]);
  for (const operator of fields.flatMap(({ field }) => operatorsOf(field))) expect(page).toContain(`\`${operator}\``);
});

test('every part and every measure is named', () => {
  const fields = library.flatMap(({ columns }) => [...columns.values()]);
  for (const { field } of fields) {
    for (const part of Object.keys(field.parts ?? {})) expect(page).toContain(`\n| \`.${part}\` |`);
    for (const operation of operationsOf(field)) expect(page).toContain(`\`FIELD.${operation}\``);
  }
});
