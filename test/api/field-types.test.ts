/** Every field type has everything: JSON, both engines, filters, OpenAPI, CSV, a section in the documentation, one file. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import { parseJson } from '../../src/domain/input/json.ts';
import type { FieldDeclaration } from '../../src/domain/record/declaration.ts';
import { compileField, types } from '../../src/domain/types/all-types.ts';
import type { Field, Operator, SetValue } from '../../src/domain/types/type.ts';
import { declared } from '../support/data/library.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const root = join(import.meta.dir, '../..');
const names = Object.keys(types);

/** What a type needs to be declared at all. A type that is not here needs nothing. */
const needed: Readonly<Record<string, Partial<FieldDeclaration>>> = {
  decimal: { scale: 2 },
  choice: { of: ['draft', 'published'] },
  list: { of: 'text' },
  reference: { to: 'targets' },
};
const declaredAs = (type: string): FieldDeclaration => ({ type, ...needed[type] });
const fieldOf = (type: string) => compileField(declaredAs(type));
/** The field that is empty in the record of these tests. */
const emptyOf = (type: string) => `${type}_or_null`;

const file = {
  targets: { singular: 'target', fields: { name: 'text' } },
  lists: { singular: 'list', fields: { numbers: { type: 'list', of: 'number' } } },
  texts: { singular: 'text', fields: { words: { type: 'list', of: 'text' } } },
  things: {
    singular: 'thing',
    fields: Object.fromEntries(
      names.flatMap((type) => [
        [type, declaredAs(type)],
        [emptyOf(type), { ...declaredAs(type), optional: true }],
      ]),
    ),
  },
};

/** JSON of a field, as a body has it. */
function read(field: Field, json: string): SetValue {
  const value = field.read(JSON.parse(json), json);
  if (typeof value === 'object') throw new Error(`${json} ${value.refused}`);
  return value;
}

describe.each(names)('%s', (type) => {
  const field = fieldOf(type);

  test('is in a file of its own, of its name', () => {
    expect(existsSync(join(root, 'src/domain/types', `${type}.ts`))).toBe(true);
  });

  test('says in one sentence what it is, and what each of its options is', () => {
    expect(types[type]?.about).toMatch(/^[A-Za-z].*\.$/);
    for (const [option, { schema, expected, isRight }] of Object.entries(types[type]?.options ?? {})) {
      expect({ option, description: schema }).toEqual({ option, description: expect.objectContaining({}) });
      expect(expected).not.toBe('');
      expect({ option, isRight: isRight({ not: 'an option' }) && option !== 'of' }).toEqual({ option, isRight: false });
    }
  });

  test('reads its example, writes it in one spelling, and reads that again', () => {
    const value = read(field, JSON.stringify(field.example));
    const written = field.encode(value);
    expect(field.encode(read(field, written))).toBe(written);
    expect(field.revive(JSON.parse(written), written)).toEqual(value);
    expect(JSON.parse(written)).toEqual(field.example);
  });

  test('has a section in docs/collections.md', () => {
    const sections = readFileSync(join(root, 'docs/collections.md'), 'utf8').split(/^(?=#)/m);
    const section = sections.find((one) => new RegExp(`^#+ [^\n]*\\b${type}\\b`, 'i').test(one)) ?? '';
    expect(section).toContain(`"${type}"`);
    for (const option of Object.keys(types[type]?.options ?? {})) expect(section).toContain(`\`${option}\``);
    for (const operator of field.filter.operators)
      expect(section).toMatch(new RegExp(`\`[^\`\n]*\\b${operator}\\b[^\`\n]*\``));
  });
});

test('a type is declared with the bounds that its documentation names, and with a right value for them', () => {
  const bounded: readonly (readonly [declared: FieldDeclaration, right: string])[] = [
    [{ type: 'text', min: 300 }, JSON.stringify('x'.repeat(300))],
    [{ type: 'text', max: 0 }, '""'],
    [{ type: 'text', pattern: '^[A-Z]{2}-\\d+$' }, '"AB-12"'],
    [{ type: 'integer', min: '9007199254740993' }, '9007199254740993'],
    [{ type: 'integer', min: 9223372036854775807n }, '9223372036854775807'],
    [{ type: 'integer', max: '-9007199254740993' }, '-9007199254740993'],
    [{ type: 'integer', max: -5 }, '-5'],
    [{ type: 'number', min: 1e21 }, '1e21'],
    [{ type: 'number', max: -0.5 }, '-0.5'],
    [{ type: 'decimal', scale: 9, min: '9223372036.854775807' }, '"9223372036.854775807"'],
    [{ type: 'decimal', scale: 0, max: '-9223372036854775808' }, '"-9223372036854775808"'],
    [{ type: 'date', min: '9999-12-31' }, '"9999-12-31"'],
    [{ type: 'date', max: '0001-01-01' }, '"0001-01-01"'],
    [{ type: 'choice', of: ["it's"] }, '"it\'s"'],
    [{ type: 'list', of: 'text', max: 0 }, '[]'],
    [{ type: 'list', of: 'text', min: 2 }, '["a","b"]'],
    [{ type: 'list', of: { type: 'integer', min: '9007199254740993' } }, '[9007199254740993]'],
    [{ type: 'json', max: 2 }, '{}'],
  ];
  const problems = bounded.flatMap(([one, right]) => {
    try {
      const made = declared({ things: { singular: 'thing', fields: { one } } }).find(({ name }) => name === 'things');
      // The routes have it in OpenAPI: if it fails, so does every request.
      expect(made?.example).toBeObject();
      expect(compileField(one).encode(read(compileField(one), right))).toBe(right.replace('1e21', '1e+21'));
      return [];
    } catch (error) {
      return [{ one, problem: String(error) }];
    }
  });
  expect(problems).toEqual([]);
});

test.each([1e21, 2 ** 63])('%p is no 64-bit integer, and is refused as the default of one', (preset) => {
  const fields = { one: { type: 'integer', default: preset } };
  const made = () => declared({ things: { singular: 'thing', fields } }).length;
  expect(made).toThrow('collections.things.fields.one.default');
});

test('every JSON value can be the default of a JSON field', () => {
  for (const preset of [0, -1.5, true, 'text', [], {}]) {
    const [made] = declared({
      things: { singular: 'thing', fields: { one: { type: 'json', default: preset } } },
    }).slice(-1);
    const json = JSON.stringify({ one: preset });
    expect(made?.encode(made.parse(parseJson('{}')))).toBe(json);
  }
});

test('the folder of the types has no other files', () => {
  const shared = ['all-types', 'date-parts', 'option', 'type'];
  const files = readdirSync(join(root, 'src/domain/types')).filter((name) => !name.endsWith('.test.ts'));
  expect(files.sort()).toEqual([...names, ...shared].map((name) => `${name}.ts`).sort());
});

type Schema = { readonly properties: Readonly<Record<string, unknown>> };
type Document = {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: { readonly name: string }[] }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
type Found = { readonly data: readonly Readonly<Record<string, unknown>>[] };

const allOperators: readonly Operator[] = [
  ...(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'] as const),
  ...(['contains', 'starts_with', 'has', 'is'] as const),
];
/** Whether a record is found by its own value. */
const findsItself = (operator: Operator) => !['ne', 'gt', 'lt'].includes(operator);

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let server: TestServer;
  let made: string;
  let document: Document;
  const text = async (path: string, headers = {}) => (await fetch(server.url + path, { headers })).text();
  const things = async (search: string) => {
    const answer = await fetch(`${server.url}/api/v2/things?${search}`);
    return { status: answer.status, body: (await answer.json()) as Found & { readonly detail?: string } };
  };

  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: declared(file) });
    const post = (path: string, body: object) =>
      fetch(`${server.url}/api/v2/${path}`, { method: 'POST', body: JSON.stringify(body) });
    await post('targets', { name: 'the one that is referred to' });
    const answer = await post('things', Object.fromEntries(names.map((type) => [type, fieldOf(type).example])));
    made = await answer.text();
    expect(answer.status).toBe(201);
    document = JSON.parse(await text('/openapi.json')) as Document;
  });
  afterAll(() => server.stop());

  test('a record with a value of every type is the same in every answer', async () => {
    expect(await text('/api/v2/things/1')).toBe(made);
    expect(await text('/api/v2/things')).toBe(`{"data":[${made}],"next_cursor":null}`);
    expect(await text('/api/v2/things/export', { Accept: 'application/x-ndjson' })).toBe(`${made}\n`);
    expect(await text('/api/v2/changes?collection=things')).toContain(`"record":${made}}`);
  });

  const addLines = async (name: string, lines: string) => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    expect((await fetch(`${server.url}/api/v2/${name}`, { method: 'POST', headers, body: lines })).status).toBe(201);
  };
  const idsOf = async (filtered: string) =>
    (JSON.parse(await text(`/api/v2/${filtered}`)) as Found).data.map(({ id }) => id);

  test('zero in a list of numbers is found by either of its spellings, and nothing else is', async () => {
    await addLines('lists', '{"numbers":[-0,1.5]}\n{"numbers":[2,0]}\n{"numbers":[10,-0.5]}\n');
    const found = (operand: string) => idsOf(`lists?numbers[has]=${operand}`);
    for (const zero of ['0', '-0', '0.0', '-0e5']) expect(await found(zero)).toEqual([1, 2]);
    expect([await found('1.50'), await found('10'), await found('-10')]).toEqual([[1], [3], []]);
  });

  test('in a list of texts the spellings of zero are different texts', async () => {
    await addLines('texts', '{"words":["0"]}\n{"words":["-0"]}\n');
    const found = (operand: string) => idsOf(`texts?words[has]=${operand}`);
    expect([await found('0'), await found('-0')]).toEqual([[1], [2]]);
  });

  test('the file and the record fit the published schemas', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const isFile = ajv.compile(JSON.parse(await text('/shelf.schema.json')));
    expect({ fits: isFile({ collections: file }), errors: isFile.errors }).toEqual({ fits: true, errors: null });
    expect(isFile({ collections: { ...file, things: { fields: { one: 'nonsense' } } } })).toBe(false);
    ajv.addSchema(document, 'openapi.json');
    const isRecord = ajv.compile({ $ref: 'openapi.json#/components/schemas/ThingRecord' });
    expect({ fits: isRecord(JSON.parse(made)), errors: isRecord.errors }).toEqual({ fits: true, errors: null });
  });

  describe.each(names)('%s', (type) => {
    const field = fieldOf(type);
    const value = read(field, JSON.stringify(field.example));
    /** The value as a query has it: of a list, its first element. */
    const operand = String(Array.isArray(field.example) ? field.example[0] : value);

    test('is stored and read back', async () => {
      const { data } = (await things(`fields=${type},${emptyOf(type)}`)).body;
      expect(data).toEqual([{ [type]: field.example, [emptyOf(type)]: null }]);
      const changed = await fetch(`${server.url}/api/v2/things/1`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: `{"${emptyOf(type)}":${JSON.stringify(field.example)}}`,
      });
      expect((await changed.json()) as object).toMatchObject({ [emptyOf(type)]: field.example });
      const back = `{"${emptyOf(type)}":null}`;
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      await fetch(`${server.url}/api/v2/things/1`, { method: 'PATCH', headers, body: back });
    });

    test.each(allOperators)('%s filters, or the answer says which operators do', async (operator) => {
      const { status, body } = await things(`${type}[${operator}]=${encodeURIComponent(operand)}`);
      if (field.filter.operators.includes(operator)) {
        const expected = findsItself(operator) ? 1 : 0;
        expect({ status, found: body.data.length }).toEqual({ status: 200, found: expected });
        // U+0000 is a value of no type.
        const wrong = await things(`${type}[${operator}]=%00`);
        expect({ status: wrong.status, detail: wrong.body.detail }).toEqual({
          status: 400,
          detail: expect.stringContaining(`expected ${field.filter.expected}`),
        });
      } else {
        const known = field.filter.operators.length === 0 ? 'expected no filter' : field.filter.operators.join(', ');
        expect({ status, detail: body.detail }).toEqual({ status: 400, detail: expect.stringContaining(known) });
      }
    });

    test('an optional field filters by being there', async () => {
      expect((await things(`${emptyOf(type)}[is]=null`)).body.data).toHaveLength(1);
      expect((await things(`${emptyOf(type)}[is]=set`)).body.data).toHaveLength(0);
    });

    test('sorts, or the answer says what does', async () => {
      const { status, body } = await things(`sort=-${type}`);
      if (field.isOrdered) expect({ status, found: body.data.length }).toEqual({ status: 200, found: 1 });
      else
        expect({ status, detail: body.detail }).toEqual({
          status: 400,
          detail: expect.stringContaining('names out of'),
        });
    });

    test('is in OpenAPI, with a schema that accepts the example, and with its filters', () => {
      const ajv = new Ajv({ strict: false, validateFormats: false });
      ajv.addSchema(document, 'openapi.json');
      for (const name of ['ThingRecord', 'ThingDraft', 'ThingPatch']) {
        expect(Object.keys(document.components.schemas[name]?.properties ?? {})).toContain(type);
        const at = (key: string) => ajv.compile({ $ref: `openapi.json#/components/schemas/${name}/properties/${key}` });
        expect({ name, accepted: at(type)(field.example) }).toEqual({ name, accepted: true });
        expect({ name, empty: at(emptyOf(type))(null) }).toEqual({ name, empty: true });
        // JSON is anything.
        expect({ name, wrong: at(type)({ not: 'a value' }) }).toEqual({ name, wrong: type === 'json' });
      }
      const told = document.paths['/api/v2/things']?.get?.parameters?.map(({ name }) => name) ?? [];
      const filters = told.filter((name) => name === type || name.startsWith(`${type}[`));
      const wanted = field.filter.operators.map((operator) => (operator === 'eq' ? type : `${type}[${operator}]`));
      expect(filters.sort()).toEqual(wanted.sort());
      expect(told).toContain(`${emptyOf(type)}[is]`);
    });

    test('is in CSV, and null is an empty field', async () => {
      const cell = typeof value === 'string' && /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
      expect(await text(`/api/v2/things/export?fields=id,${type},${emptyOf(type)}`)).toBe(
        `id,${type},${emptyOf(type)}\r\n1,${cell},\r\n`,
      );
    });

    test('is read from CSV, and a cell that is no value of it is refused', async () => {
      expect(field.readCell(String(value))).toEqual(value);
      // A text is any text without U+0000.
      expect(field.readCell('\0')).toEqual({ refused: expect.stringMatching(/^must /) });
      const csv = await text('/api/v2/things/export');
      const headers = { 'Content-Type': 'text/csv' };
      const sent = await fetch(`${server.url}/api/v2/things?dry_run=true`, { method: 'POST', headers, body: csv });
      expect(await sent.text()).toBe('{"dry_run":true,"valid":1}');
    });
  });
});

describe('outside of src/domain/types no code asks which type a field has', () => {
  /** Comparisons with a word that is also the name of a type. Each says what is compared instead. */
  const allowed: readonly (readonly [file: RegExp, expression: RegExp, what: string])[] = [
    [/./, /^typeof /, 'a type of JavaScript'],
    [/^cli\/config\/jsonc\.ts$/, /^node\.type$/, 'a node of the JSON parser'],
    [/^cli\/(main|commands\/keys|config\/keys-command)\.ts$/, /^(order\.)?kind$/, 'the command "keys list"'],
    [
      /^cli\/(main|serve\/banner|log\/log-format|log\/log-writer)\.ts$/,
      /^(formatOf\(config\)|format|form)$/,
      'the format of the log',
    ],
    [/^storage\/sqlite\//, /^(field\.)?sqlite\.column$/, 'the column of SQLite, which the type itself has chosen'],
  ];
  // The client is another program: it gets the names of types from the server. A proposal chooses types by values that have none yet.
  const files = [...new Bun.Glob('**/*.ts').scanSync(join(root, 'src'))].filter(
    (path) =>
      !path.startsWith('domain/types/') &&
      !path.startsWith('client/') &&
      !path.startsWith('import/proposal/') &&
      !path.endsWith('.test.ts'),
  );
  const sources = files.map((path) => {
    const source = readFileSync(join(root, 'src', path), 'utf8');
    return [path, source.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s*\/\/.*$/gm, '')] as const;
  });
  const word = `['"\`](?:${names.join('|')})['"\`]`;
  const expression = '((?:typeof )?[\\w.?]+(?:\\([\\w.?]*\\))?)';
  const before = new RegExp(`${expression} [!=]==? ${word}`, 'g');
  const after = new RegExp(`${word} [!=]==? ${expression}`, 'g');
  const found = (pattern: RegExp) =>
    sources.flatMap(([path, source]) => [...source.matchAll(pattern)].map((match) => [path, match] as const));

  test('the search finds such code', () => {
    expect("if (field.declared.type === 'decimal') return".match(before)).toEqual([
      "field.declared.type === 'decimal'",
    ]);
    expect("if ('text' !== typeOf(field)) return".match(after)).toEqual(["'text' !== typeOf(field)"]);
    expect(sources.length).toBeGreaterThan(100);
  });

  test('by comparing its name', () => {
    const used = new Set<string>();
    const comparisons = [...found(before), ...found(after)];
    const others = comparisons.filter(([path, [, expression = '']]) => {
      const rule = allowed.find(([where, what]) => where.test(path) && what.test(expression));
      if (rule !== undefined) used.add(rule[2]);
      return rule === undefined;
    });
    expect(others.map(([path, [code]]) => `${path}: ${code}`)).toEqual([]);
    // What nothing needs any more is not allowed any more.
    expect([...used].sort()).toEqual(allowed.map(([, , what]) => what).sort());
  });

  test('by a switch, a list of names, or a table by name', () => {
    const cases = found(new RegExp(`\\bcase ${word}`, 'g'));
    const lists = found(new RegExp(`\\[[^\\]\\n]*${word}[^\\]\\n]*\\]\\.(?:includes|indexOf|some|find)\\(`, 'g'));
    // The table of all types is the one that all-types.ts has.
    const tables = found(/\b(?!types\[)\w+\[[\w.?]*\.type\]/g);
    expect([...cases, ...lists, ...tables].map(([path, [code]]) => `${path}: ${code}`)).toEqual([]);
  });
});
