/** docs/collections.md and the README against the real service: every file, value, answer and command that they show. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigFile } from '../../src/cli/config/config-file.ts';
import { parseJsonc } from '../../src/cli/config/jsonc.ts';
import { allSettings } from '../../src/cli/settings/settings.ts';
import { collectionsOf } from '../../src/collections/registry.ts';
import { collectionOptions, maxCollections, maxFields } from '../../src/declarations/check.ts';
import { commonOptions } from '../../src/declarations/check-field.ts';
import { maxFoldedText, maxMessage } from '../../src/declarations/rules/check-checks.ts';
import { maxSearched } from '../../src/declarations/rules/check-search.ts';
import { maxWhere } from '../../src/declarations/rules/check-unique.ts';
import { maxRules } from '../../src/declarations/rules/rule-list.ts';
import type { Collection } from '../../src/domain/record/collection.ts';
import { maxCascade } from '../../src/domain/store/constraint-clash.ts';
import { types } from '../../src/domain/types/all-types.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { root, runShelf, type Shelf, startShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/collections.md');
const folder = temporaryFolder();

function blocksIn(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, kind, block = '']) =>
    kind === language ? block : [],
  );
}

/** The text from a heading to the next one of the same or a higher level. */
function section(heading: string, of = page): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const [, rest] = `\n${of}`.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`there is no section ${heading}`);
  return rest.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? '';
}

/** The cells of each row of all tables, without their heads. */
function rowsIn(text: string): string[][] {
  return [...text.matchAll(/^\|---.*\n((?:\|.*\n)+)/gm)].flatMap(([, rows = '']) =>
    rows
      .trim()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split(' | ')
          .map((cell) => cell.trim()),
      ),
  );
}

let files = 0;
/** What the service makes of a file. Throws with every mistake. */
function collectionsIn(content: string): readonly Collection[] {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, content);
  const { declarations, without } = readConfigFile(path, allSettings);
  return collectionsOf(declarations, without);
}

/** `...` stands for anything within a line. */
function expectShown(answer: string, shown: string): void {
  const parts = shown
    .trim()
    .split('...')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  expect(answer.trim()).toMatch(new RegExp(`^${parts.join('.*')}$`));
}

type Example = { readonly command: string; readonly shown: string };

function examplesIn(block: string): Example[] {
  const steps = block.split(/^\$ /m).slice(1);
  return steps.map((step) => {
    const [command = '', ...lines] = step.trim().split('\n');
    return { command, shown: lines.join('\n') };
  });
}

/** Sends the request of a curl command to another address. */
async function curl(command: string, url: string): Promise<string> {
  const given = (flag: string) => new RegExp(` -${flag} (?:'([^']*)'|(\\S+))`).exec(command)?.slice(1).join('');
  const path = /http:\/\/127\.0\.0\.1:8000([^\s']*)/.exec(command)?.[1] ?? '';
  const body = given('d');
  const [name = '', value = ''] = given('H')?.split(': ') ?? [];
  const answer = await fetch(url + path, {
    method: given('X') ?? (body === undefined ? 'GET' : 'POST'),
    ...(body === undefined ? {} : { body }),
    ...(name === '' ? {} : { headers: { [name]: value } }),
  });
  return answer.text();
}

/** A part of the page that is a file, or the fields of a collection. */
const isFile = (block: string) => block.startsWith('{');
const asFile = (fields: string) =>
  `{"collections":{"authors":{"singular":"author","fields":{"name":"text"}},"examples":{"fields":{${fields}}}}}`;

describe('files', () => {
  const mistaken = blocksIn(section('## Mistakes'), 'json');
  const blocks = ['docs/collections.md', 'README.md'].flatMap((file) =>
    blocksIn(read(file), 'json').map((block, index) => [`${file}, example ${index + 1}`, block] as const),
  );
  const right = blocks.filter(([, block]) => !mistaken.includes(block));

  test('there are examples', () => {
    expect(mistaken).toHaveLength(1);
    expect(right.filter(([, block]) => isFile(block)).length).toBeGreaterThan(9);
    expect(right.filter(([, block]) => !isFile(block)).length).toBeGreaterThan(Object.keys(types).length);
  });

  test.each(right)('%s has no mistakes', (_, block) => {
    collectionsIn(isFile(block) ? block : asFile(block));
  });

  test('the mistaken one has the mistakes that are shown, all at once', async () => {
    writeFileSync(join(folder, 'library.json'), mistaken[0] ?? '');
    const [example] = examplesIn(blocksIn(section('## Mistakes'), 'sh')[0] ?? '');
    expect(example?.command).toBe('shelf check library.json');
    const { stderr, code } = await runShelf({ args: ['check', 'library.json'], cwd: folder });
    expect(code).toBe(2);
    expect(stderr.trim()).toBe(example?.shown ?? '');
  });
});

describe('types', () => {
  const sections = [...section('## Field types').matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);

  test('every type has a section, in the same order', () => {
    expect(sections).toEqual(Object.keys(types));
  });

  test.each(Object.entries(types))('%s: every option is declared in an example, and explained', (name, { options }) => {
    const text = section(`### ${name}`);
    const { value } = parseJsonc(`{${blocksIn(text, 'json')[0]}}`);
    const declared = Object.values(value as object).flatMap((field) => Object.keys(field));
    for (const option of Object.keys(options)) {
      expect(declared).toContain(option);
      expect(text).toMatch(new RegExp(`^- (?:\`\\w+\` and )*\`${option}\` `, 'm'));
    }
  });

  test.each(Object.keys(types))('%s: filters and columns are those of the code', (name) => {
    const text = section(`### ${name}`);
    const example = collectionsIn(asFile(blocksIn(text, 'json')[0] ?? '')).find((one) => one.name === 'examples');
    const field = Object.values(example?.fields ?? {})[0];
    const [, filters = ''] = /^- Filters: (?:`([^`]+)`|none)/m.exec(text) ?? [undefined, 'no line'];
    expect(filters).toBe(field?.filter.operators.join(' ') ?? '');
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(
        `- Kept as \`${field?.sqlite.column}\` in SQLite.* and \`${RegExp.escape(field?.postgres.column ?? '')}\` in PostgreSQL`,
      ),
    );
  });

  test('exactly the types that can be unique are named', () => {
    const row = rowsIn(section('## Options of every type')).find(([option]) => option === '`unique`');
    const named = [...(row?.[1]?.matchAll(/`(\w+)`/g) ?? [])].map(([, name = '']) => name);
    expect(named).toEqual(Object.keys(types).filter((name) => types[name]?.canBeUnique === true));
  });

  test('every common option, and every option of a collection, is explained', () => {
    const common = section('## Options of every type');
    for (const option of commonOptions.filter((one) => one !== 'type')) expect(common).toContain(`\`${option}\``);
    for (const option of collectionOptions)
      expect(section('## The file')).toMatch(new RegExp(`^\\| .*\`${option}\``, 'm'));
  });

  test('the bounds are those of the code', () => {
    const bounds = Object.fromEntries(rowsIn(section('### Bounds')));
    expect(bounds['collections in the file']).toBe(String(maxCollections));
    expect(bounds['fields of a collection']).toBe(String(maxFields));
    expect(bounds['rules under `unique`, and under `check`']).toBe(String(maxRules));
    expect(bounds['characters of the `message` of a rule']).toBe(String(maxMessage));
    expect(bounds['characters of a text that a check rule compares without case']).toBe(
      maxFoldedText.toLocaleString('en'),
    );
    expect(bounds['fields with `search` of a collection']).toBe(String(maxSearched));
    expect(bounds['values, and bytes, of the `where` of a unique rule']).toBe(
      `${maxWhere.values}, ${maxWhere.bytes.toLocaleString('en')}`,
    );
    expect(bounds['records that one deletion deletes or changes']).toBe(maxCascade.toLocaleString('en'));
  });
});

/** Each field of an example is the only one of a collection, so that its values can be sent alone. */
function singleFields(): Record<string, unknown> {
  const collections: Record<string, unknown> = { authors: { singular: 'author', fields: { name: 'text' } } };
  for (const name of Object.keys(types)) {
    const { value } = parseJsonc(`{${blocksIn(section(`### ${name}`), 'json')[0]}}`);
    for (const [key, field] of Object.entries(value as object))
      collections[`${name}_${key}`] = { fields: { [key]: field } };
  }
  return collections;
}

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  let byField: TestServer;
  beforeAll(async () => {
    const [library = ''] = blocksIn(section('## In a minute'), 'json');
    server = await startServer({ database: await newUrl(), collections: collectionsIn(library) });
    // A bound of 64 bits is no number of JavaScript: it is kept as digits.
    const digits = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
    const file = JSON.stringify({ collections: singleFields() }, digits);
    byField = await startServer({ database: await newUrl(), collections: collectionsIn(file) });
    await fetch(`${byField.url}/api/v2/authors`, { method: 'POST', body: '{"name":"Borges"}' });
  });
  afterAll(() => Promise.all([server.stop(), byField.stop()]));

  test.each(Object.keys(types))(
    '%s: each value gives the answer that is shown, and the filter finds one',
    async (name) => {
      const rows = rowsIn(section(`### ${name}`));
      expect(rows.length).toBeGreaterThan(1);
      for (const [field = '', sent = '', shown = ''] of rows.map((row) =>
        row.map((cell) => cell.replaceAll('`', '')),
      )) {
        const answer = await fetch(`${byField.url}/api/v2/${name}_${field}`, {
          method: 'POST',
          body: `{"${field}":${sent}}`,
        });
        const text = await answer.text();
        if (answer.status === 201) expect(text).toContain(`,"${field}":${shown},"version":1,`);
        else
          expect({ sent, shown: `${answer.status}: ${JSON.parse(text).errors?.[0]?.detail}` }).toEqual({ sent, shown });
      }
      const filter = /^- Filters: .*? as in `([^`]+)`/m.exec(section(`### ${name}`))?.[1];
      expect(filter === undefined).toBe(name === 'json');
      if (filter === undefined) return;
      const found = await fetch(`${byField.url}/api/v2/${name}_${/^\w+/.exec(filter)}?${filter}&count=exact`);
      const { total } = (await found.json()) as { total?: number };
      expect(total).toBeGreaterThan(0);
    },
  );

  test('the requests give the answers that are shown', async () => {
    const examples = [section('## In a minute'), section('## References')]
      .flatMap((text) => blocksIn(text, 'sh'))
      .flatMap(examplesIn);
    expect(examples.length).toBeGreaterThan(6);
    for (const { command, shown } of examples) expectShown(await curl(command, server.url), shown);
  });
});

test.each(
  quickEngines.flatMap(([engine, newUrl]) =>
    ['## Unique rules', '## Check rules'].map((heading) => [engine, heading, newUrl] as const),
  ),
)('%s: %s are as they are explained', async (_, heading, newUrl) => {
  const text = section(heading);
  const [file = ''] = blocksIn(text, 'json');
  const server = await startServer({ database: await newUrl(), collections: collectionsIn(file) });
  try {
    const examples = blocksIn(text, 'sh').flatMap(examplesIn);
    expect(examples.length).toBeGreaterThan(3);
    for (const { command, shown } of examples) expectShown(await curl(command, server.url), shown);
  } finally {
    await server.stop();
  }
});

test('evolution: each command and request of the example gives what is shown', async () => {
  const cwd = join(folder, 'evolution');
  mkdirSync(cwd);
  const text = section('### By example');
  const [unserved] = /^Not served: .*\n/m.exec(text) ?? [];
  let file = '';
  let running: { readonly file: string; readonly shelf: Shelf } | undefined;
  const stop = async () => {
    await running?.shelf.stop();
    if (running?.file === 'v6.json') expect(await running.shelf.errors()).toBe(`shelf: ${unserved}`);
    running = undefined;
  };
  async function run({ command, shown }: Example): Promise<void> {
    const [program = '', ...args] = command.split(' ');
    if (program === 'curl') {
      if (running?.file !== file) await stop();
      running ??= { file, shelf: await startShelf({ args: ['--config', file], cwd }) };
      return expectShown(await curl(command, running.shelf.url), shown);
    }
    await stop();
    file = args[args.indexOf('--config') + 1] ?? '';
    const { stdout, stderr, code } = await runShelf({
      args: [...args, ...(args[0] === 'migrate' ? [] : ['--port', '0'])],
      cwd,
    });
    expectShown(stdout + stderr, shown);
    expect({ command, code }).toEqual({ command, code: stderr === '' ? 0 : 1 });
  }
  let done = 0;
  try {
    // A file that is named in the text is the one that is shown next, and the one that is served.
    for (const [, name, language, block = ''] of text.matchAll(/`(v\d\.json)`|^```(\w+)\n(.*?)^```$/gms)) {
      if (name !== undefined) file = name;
      else if (language === 'json') writeFileSync(join(cwd, file), block);
      else
        for (const example of examplesIn(block)) {
          await run(example);
          done++;
        }
    }
  } finally {
    await stop();
  }
  expect(done).toBeGreaterThan(11);
}, 120_000);

describe('steps', () => {
  const source = ['plan', 'field-steps', 'rules/unique-steps', 'rules/check-steps']
    .map((name) => read(`src/declarations/${name}.ts`))
    .join('');
  const steps = [...source.matchAll(/text: `([^`]*)`,\s*risk: '(\w+)'/g)].map(
    ([, text = '', risk = '']) => [text, risk] as const,
  );
  const rows = rowsIn(section('### Steps'));

  test('there are steps', () => {
    expect(steps.length).toBe([...source.matchAll(/\brisk: '/g)].length);
    expect(steps.length).toBeGreaterThan(12);
  });

  test.each(steps)('%s (%s) is explained', (text, risk) => {
    const parts = text.split(/\$\{[^}]*\}/).map((part) => RegExp.escape(part));
    const form = new RegExp(`^\`${parts.join('.*')}\`$`);
    const shown = rows.filter(([step = '']) => form.test(step)).map(([, one]) => one);
    expect([...new Set(shown)]).toEqual([risk]);
  });
});

test('the README: the file has ten lines, and its requests give the answers that it shows', async () => {
  const text = section('## Your own collections', read('README.md'));
  const [file = ''] = blocksIn(text, 'json');
  expect(file.trim().split('\n')).toHaveLength(10);
  const server = await startServer({ collections: collectionsIn(file) });
  try {
    const examples = blocksIn(text, 'sh').flatMap(examplesIn);
    const requests = examples.filter(({ command }) => command.startsWith('curl'));
    expect(requests.length).toBeGreaterThan(1);
    for (const { command, shown } of requests) expectShown(await curl(command, server.url), shown);
  } finally {
    await server.stop();
  }
});
