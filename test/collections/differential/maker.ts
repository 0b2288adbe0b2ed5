/** Random files, bodies and queries. */

import type { CollectionDeclaration, FieldDeclaration, Plain } from '../../../src/domain/record/declaration.ts';
import { Random } from '../../support/data/random.ts';
import { type Node, parsed } from './json.ts';
import { betweenFields, everyText, groups, integer, type Model, type Query } from './model.ts';
import { randomChecks, randomRule, randomRules, uniqueTypes } from './rule-maker.ts';
import {
  comparisons,
  elementOf,
  type Fields,
  type File,
  kindOf,
  kinds,
  least,
  most,
  numeral,
  operandOf,
  operatorsOf,
  withPoint,
} from './types.ts';
import { scriptTexts } from './words-model.ts';

/** Found by fast-check; everything else is from lists of edge cases. */
export type Extras = { readonly texts: readonly string[]; readonly jsons: readonly string[] };

const edgeTexts = [
  ...['a', 'b', 'ab', 'A', '', 'é', 'e\u0301', 'a"b', "it's", 'a,b', 'line\nbreak', 'cr\r', '\ttab', ' a', 'a ', '%_'],
  ...['=1+1', '+1', '-1', '@x', "'=x", "''-1", "'", '\uff1d1', '\\', 'null', '\u2028', '😀', '😀a', '\u0001', '\uffff'],
  ...['\u{10ffff}', 'x'.repeat(40), 'x'.repeat(41), 'a\0b', '\ud800'],
];
const edges: Readonly<Record<string, readonly string[]>> = {
  integer: [
    ...['0', '1', '7', '-1', '-0', '1.0', '1e2', '10e-1', '100', '9007199254740993', '0.5', '1e400', '123e-1', '1e18'],
    ...['9223372036854775807', '-9223372036854775808', '9223372036854775808', '-9223372036854775809'],
    ...['1.00000000000000001', '9007199254740993.0', '-9007199254740993e0'],
  ],
  number: [
    ...['0', '1', '-0', '0.1', '-1.5', '1e-7', '1e16', '1e21', '123456789012345680', '12345678901234567890', '1E5'],
    ...['5e-324', '1.7976931348623157e308', '0.30000000000000004', '0.1e1', '1e400', '-1e400', '100.25'],
  ],
  boolean: ['true', 'false'],
  date: [
    '2026-11-15',
    '2024-02-29',
    '0001-01-01',
    '9999-12-31',
    '1969-12-31',
    '2023-02-29',
    '0000-01-01',
    '2026-1-1',
  ].map((day) => `"${day}"`),
  timestamp: [
    ...['2026-11-15T09:30:00Z', '2026-11-15T10:30:00.000+01:00', '2026-11-15t09:30:00.1z', '1969-12-31T23:59:59.999Z'],
    ...[
      '2026-11-15T09:30:00.123456789-23:59',
      '0001-01-01T00:00:00Z',
      '0001-01-01T00:00:00+00:01',
      '2026-02-30T00:00:00Z',
    ],
    ...[
      '9999-12-31T23:59:59.9999Z',
      '9999-12-31T23:59:59-00:01',
      '2026-11-15T24:00:00Z',
      '2026-11-15T25:00:00Z',
      '2026-11-15',
      '2026-11-15T09:30:60Z',
    ],
  ].map((moment) => `"${moment}"`),
  json: [
    ...['{}', '{"b":1.50,"a":[1e2, 12345678901234567890],"b":null}', ' [ 1 , "a b" ] ', '"\\u0041\\n"', '-0', '1E400'],
    ...['0.10', '"=1"', '-1.5', `"'"`, '{"a" : {"a":1,"a":2}}', '"😀"', '"a\\/b"', 'false', '0', '""', '[[],{}]'],
    ...['{"__proto__":1,"":[]}', '"\\ud83d\\ude00"', '"\u2028"'],
    ...['"a\\u0000"', '{"\\u0000":1}', '["\\ud83d"]', '"\\ude00\\ud83d"'],
  ],
  reference: ['1', '2', '1.0', '2e0', '999', '0', '-1', '9223372036854775807', '9223372036854775808', '"1"'],
};
const anything = ['null', '1', '-1.5', '"x"', '""', 'true', '[]', '{}', '[null]', '["x",1]', '[[1]]'];
const presets = ['{}', '[]', '{"a":[1,"x"]}', '"text"', 'true', '0', '-1.5'];
const scalars = ['text', 'integer', 'number', 'decimal', 'boolean', 'date', 'timestamp', 'choice'];
export const operators = [
  ...comparisons,
  'contains',
  'starts_with',
  'eq_ci',
  'contains_ci',
  'words',
  'has',
  'is',
  'like',
];
/** Parameters of lists, words of SQL, and names that a careless engine would use itself. */
const fieldNames = [
  ...['limit', 'sort', 'fields', 'count', 'cursor', 'expand', 'order', 'select', 'record', 'text', 'row'],
  ...['external_id', 'user', 'collection', 'from', 'old', 'seq_', 'index', 'changes', 'name', 'a', 'b2'],
  ...['value', 'key', 'type', 'json', 'rowid', 'oid', 'new', 'where', 'any', 'all', 'not', 'field'],
];

/** Makes what one step needs from one seed. */
export class Maker {
  constructor(
    readonly random: Random,
    readonly extras: Extras,
    readonly model: Model | undefined,
  ) {}

  /** JSON of about this type, right or wrong. */
  any(declared: FieldDeclaration): string {
    const { random, extras } = this;
    const { type, scale = 0, of, to = '' } = declared;
    if (random.chance(0.1)) return random.pick(anything);
    if (type === 'text') return this.#spelled(random.pick([...edgeTexts, ...scriptTexts, ...extras.texts]));
    if (type === 'choice')
      return this.#spelled(random.chance(0.9) ? random.pick(of as string[]) : random.pick(edgeTexts));
    if (type === 'json') {
      // Longer than what is parsed on the thread of the request.
      if (random.chance(0.02)) return `"${'long '.repeat(7000)}"`;
      return random.pick([...(edges.json ?? []), ...extras.jsons]);
    }
    if (type === 'decimal') {
      const tiny = withPoint(random.pick([1n, -1n, 15n]), scale);
      const bounds = [most, least, most - 1n].map((value) => withPoint(value, scale));
      const beyond = [withPoint(most + 1n, scale), `${tiny}1`, `0.${'0'.repeat(scale)}1`, '1e5', '+1', '.5', '1.', ''];
      return JSON.stringify(random.pick(['0', '-0', '1', '1.5', '-1.5', '007.5', '12.30', tiny, ...bounds, ...beyond]));
    }
    if (type === 'list') {
      const element = elementOf(declared);
      const count = random.pick([0, 1, 2, 3, 4]);
      const isRight = random.chance(0.8);
      const elements = Array.from({ length: count }, () => (isRight ? this.right(element) : this.any(element)));
      return `[${elements.join(random.pick([',', ' , ']))}]`;
    }
    const ids = [...(this.model?.table(to).rows.keys() ?? [])];
    if (type === 'reference' && ids.length > 0 && random.chance(0.85)) return String(random.pick(ids));
    return random.pick(edges[type] ?? anything);
  }

  /** JSON that the type accepts. */
  right(declared: FieldDeclaration): string {
    for (let tries = 0; tries < 60; tries++) {
      const text = this.any(declared);
      const node = parsed(text);
      if (node !== undefined && node.value !== null && kindOf(declared).read(node, declared) !== undefined) return text;
    }
    throw new Error(`no value found for ${JSON.stringify(declared)}`);
  }

  /** The same text with other escapes. */
  #spelled(text: string): string {
    if (this.random.chance(0.8)) return JSON.stringify(text);
    const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
    return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
  }

  #options(type: string): Partial<FieldDeclaration> {
    const { random } = this;
    const some = <Name extends string>(name: Name, chance: number, ...values: Plain[]) =>
      random.chance(chance) ? { [name]: random.pick(values) } : {};
    switch (type) {
      case 'text':
        return {
          ...some('min', 0.2, 1, 2),
          // Three texts of an index have at most 500 characters together.
          ...some('max', 0.6, 5, 40, 150),
          ...some('pattern', 0.2, '^[^x]*$', '\\p{L}', '^.?.?.?$'),
        };
      case 'integer':
        return { ...some('min', 0.3, 0, -5, '-9223372036854775807'), ...some('max', 0.3, 100, 9007199254740993n) };
      case 'number':
        return { ...some('min', 0.3, -1.5, 0, -1e21), ...some('max', 0.3, 100.5, 1e16, 1e300) };
      case 'decimal': {
        const scale = random.below(10);
        return { scale, ...some('min', 0.3, '0', '-1'), ...some('max', 0.3, '2', withPoint(most, scale)) };
      }
      case 'date':
        return { ...some('min', 0.3, '1969-12-31', '0001-01-01'), ...some('max', 0.3, '2026-11-15', '9999-12-30') };
      case 'choice':
        return { of: random.pick([['a'], ['b', 'a', 'B'], ["it's", 'a,b', '"q"', '=x', '😀', ' a']]) };
      case 'list': {
        const element = random.pick(scalars);
        const isShort = !['decimal', 'choice'].includes(element) && random.chance(0.5);
        const of = isShort ? element : { type: element, ...this.#options(element) };
        return { of: of as Plain, ...some('min', 0.2, 1), ...some('max', 0.3, 2, 3) };
      }
      case 'json':
        return some('max', 0.2, 20, 100);
      default:
        return {};
    }
  }

  /** A field of the collection at this place among `names`; `isNew` if records without it are there already. */
  field(at: number, names: readonly string[], isNew = false): FieldDeclaration {
    const { random } = this;
    // Text and lists have the most operators.
    const type = random.pick([...Object.keys(kinds), 'text', 'text', 'list']);
    let declared: FieldDeclaration = { type, ...this.#options(type) };
    if (random.chance(0.5)) declared = { ...declared, optional: true };
    if (type === 'reference') declared = this.reference(at, random.below(names.length), names, isNew);
    if (uniqueTypes.includes(type) && random.chance(type === 'reference' ? 0.1 : 0.3))
      declared = { ...declared, ...(type === 'text' ? { max: declared.max ?? 40 } : {}), unique: true };
    const isPreset = !declared.unique && type !== 'reference' && random.chance(isNew ? 0.5 : 0.3);
    if (isPreset) declared = { ...declared, default: this.preset(declared) };
    if (type === 'text' && random.chance(0.5)) declared = { ...declared, search: true };
    if (isNew && !isPreset) declared = { ...declared, optional: true };
    return random.chance(0.1) ? { ...declared, title: 'A title', description: "What it's for" } : declared;
  }

  /** `at` is the place of the collection that has it, `to` of the one that it refers to. */
  reference(at: number, to: number, names: readonly string[], isNew = false): FieldDeclaration {
    const { random } = this;
    // Cascades lead to earlier collections only, so that there is no cycle.
    const on_delete = random.pick(
      to > at ? (['restrict', 'clear'] as const) : (['restrict', 'clear', 'cascade', 'cascade'] as const),
    );
    const isOptional = isNew || to >= at || on_delete === 'clear' || random.chance(0.5);
    return { type: 'reference', to: names[to] ?? '', on_delete, ...(isOptional ? { optional: true } : {}) };
  }

  preset(declared: FieldDeclaration): Plain {
    if (declared.type === 'json') return JSON.parse(this.random.pick(presets));
    const plain = (node: Node): Plain => {
      if (Array.isArray(node.value)) return node.value.map(plain);
      if (typeof node.value !== 'number' || Number.isSafeInteger(node.value)) return node.value as Plain;
      return /^-?\d+$/.test(node.text) ? BigInt(node.text) : node.value;
    };
    const node = parsed(this.right(declared));
    return node === undefined ? null : plain(node);
  }

  indexes(fields: Fields): (string | string[])[] {
    const short = Object.keys(fields).filter((key) => {
      const { type, max } = fields[key] ?? integer;
      return kinds[type]?.order !== undefined && (type !== 'text' || max !== undefined);
    });
    const lists = Array.from({ length: this.random.below(3) }, () =>
      this.random.shuffled(short).slice(0, 1 + this.random.below(3)),
    ).filter((list) => list.length > 0);
    const different = new Map(lists.map((list) => [list.join(), list]));
    return [...different.values()].map((list) => (list.length === 1 ? (list[0] ?? '') : list));
  }

  body(name: string, isPatch: boolean, isLine = false, isOdd = this.random.chance(0.2)): string {
    const { random } = this;
    const members: string[] = [];
    const space = () =>
      random.chance(0.9) ? '' : random.pick(isLine ? [' ', '\t', ' \r'] : [' ', '\n', '\t', '\r\n ']);
    const add = (key: string, text: string) =>
      members.push(`${space()}${JSON.stringify(key)}${space()}:${space()}${text}${space()}`);
    for (const [key, one] of Object.entries(this.model?.fieldsOf(name) ?? {})) {
      const mayBeAbsent = one.optional || one.default !== undefined || one === integer;
      // There is nothing to refer to, so it would be refused.
      if (one.to !== undefined && one.optional && this.model?.table(one.to).rows.size === 0) continue;
      if (random.chance(isPatch ? 0.6 : mayBeAbsent ? 0.4 : isOdd ? 0.1 : 0)) continue;
      // Of two members with one name, the last counts.
      if (random.chance(0.05)) add(key, this.any(one));
      const isNull = random.chance(one.optional ? 0.2 : isOdd ? 0.1 : 0);
      add(key, isNull ? 'null' : isOdd && random.chance(0.3) ? this.any(one) : this.right(one));
    }
    if (isOdd && random.chance(0.1)) add(random.pick(['nothing', '__proto__', 'id', 'version', 'expanded']), '1');
    const text = `${space()}{${random.chance(0.2) ? random.shuffled(members) : members}}${space()}`;
    if (!isOdd || random.chance(0.9)) return isLine ? text.replaceAll('\n', ' ') : text;
    const broken = [text.slice(0, random.below(text.length)), `${text}x`, '[]', 'null', '"x"', '{"a":01}', '{,}'];
    return random.pick(broken).replaceAll('\n', ' ');
  }

  /** An id that is mostly there, and to which other records often refer. */
  id(name: string): number {
    const referring = this.random.pick(['cascade', 'restrict', 'clear']);
    const used = this.model
      ?.dependents(name, referring)
      .flatMap(({ name: from, field }) =>
        [...(this.model?.table(from).rows.values() ?? [])].flatMap(
          ({ values }) => Number(values.get(field) ?? 0) || [],
        ),
      );
    if (used !== undefined && used.length > 0 && this.random.chance(0.5)) return this.random.pick(used);
    const ids = [...(this.model?.table(name).rows.keys() ?? [])];
    return ids.length > 0 && this.random.chance(0.9) ? this.random.pick(ids) : 1 + this.random.below(20);
  }

  query(name: string, expandable: readonly string[]): Query {
    const { random, model } = this;
    const columns = Object.entries(model?.columnsOf(name) ?? {}).filter(([key]) => !key.endsWith('ed_at'));
    const ordered = columns.filter(([, one]) => kindOf(one).order !== undefined);
    const filters = Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => {
      const [field, one] = random.pick(columns);
      const known = operatorsOf(one);
      if (random.chance(0.15)) return this.#wordsFilter(name);
      const operator = random.pick(random.chance(0.05) || known.length === 0 ? operators : known);
      return [field, operator, this.#operand(name, field, one, operator)] as const;
    });
    const sort = Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => {
      const [key] = random.pick(random.chance(0.03) ? columns : ordered);
      return `${random.pick(['', '-'])}${key}`;
    });
    const all = [...columns.map(([key]) => key), 'created_at', 'updated_at'];
    const fields = random.chance(0.2) ? random.shuffled(all).slice(0, 1 + random.below(4)) : undefined;
    const expand = random.chance(0.4) ? random.shuffled(expandable).slice(0, 1 + random.below(3)) : [];
    const where = random.chance(0.5) ? this.where(name) : undefined;
    return { filters, where, sort, fields, expand };
  }

  #wordsFilter(name: string): readonly [string, string, string] {
    return [everyText, 'words', this.#wordsIn(name)];
  }

  /** A query for words, mostly of a text that is stored. */
  #wordsIn(name: string): string {
    const { random, model } = this;
    const rows = [...(model?.table(name).rows.values() ?? [])];
    const searched = model?.searchedFields(name) ?? [];
    const row = rows.length === 0 ? undefined : random.pick(rows);
    const stored = searched.map((field) => row?.values.get(field)).filter((text) => typeof text === 'string');
    const text = stored.length > 0 && random.chance(0.7) ? random.pick(stored) : random.pick(scriptTexts);
    const part = random.pick([text, text.toUpperCase(), random.pick(text.split(/[\s,*]+/))]).slice(0, 100);
    const cut = random.chance(0.4) ? `${[...part].slice(0, 1 + random.below(3)).join('')}*` : part;
    return `${cut}${random.pick(['', '', '!', ' b*', ' -x'])}`.toWellFormed().replaceAll('\0', '');
  }

  /** In a URL there is room for about as much. */
  where(name: string): string {
    // The simplest filters that null decides.
    if (this.random.chance(0.3)) return `{"not":{${this.#condition(name, 0)}}}`;
    for (;;) {
      const json = this.#conditions(name, this.random.chance(0.02) ? 6 : 3);
      if (encodeURIComponent(json).length < 6000) return json;
    }
  }

  #conditions(name: string, levels: number): string {
    const { random } = this;
    const count = random.pick([0, 1, 1, 1, 1, 2, 2]);
    return `{${Array.from({ length: count }, () => this.#condition(name, levels)).join()}}`;
  }

  #condition(name: string, levels: number): string {
    const { random, model } = this;
    const kind = levels === 0 ? '' : random.pick(['', '', '', 'any', 'all', 'not', 'not']);
    if (kind === 'not') return `"not":${this.#conditions(name, levels - 1)}`;
    if (kind !== '') {
      const parts = Array.from({ length: random.pick([1, 2, 2, 3]) }, () => this.#conditions(name, levels - 1));
      return `"${kind}":[${parts.join(', ')}]`;
    }
    const path: string[] = [];
    let of = name;
    while (random.chance(path.length === 2 ? 0.02 : 0.4)) {
      const references = Object.entries(model?.fieldsOf(of) ?? {}).filter(([, { to }]) => to !== undefined);
      if (references.length === 0) break;
      const [field, { to = '' }] = random.pick(references);
      path.push(field);
      of = to;
    }
    const columns = Object.entries(model?.columnsOf(of) ?? {}).filter(
      ([key]) => !key.endsWith('ed_at') && (path.length > 0 || !groups.includes(key)),
    );
    if (random.chance(0.15)) {
      const query = JSON.stringify(this.#wordsIn(of));
      const wanted = random.chance(0.9) ? query : `{"words":${query}}`;
      return `${JSON.stringify([...path, everyText].join('.'))}:${wanted}`;
    }
    const [key, one] = random.pick(columns);
    return `${JSON.stringify([...path, key].join('.'))}:${this.#comparisons(of, key, one)}`;
  }

  #comparisons(name: string, key: string, one: FieldDeclaration): string {
    const { random } = this;
    const known = operatorsOf(one);
    const members = Array.from({ length: random.pick([1, 1, 1, 2]) }, () => {
      const operator = random.pick(random.chance(0.02) || known.length === 0 ? operators : known);
      return [operator, this.#wanted(name, key, one, operator)] as const;
    });
    const [[operator, wanted] = ['', '']] = members;
    if (operator === 'eq' && !wanted.startsWith('{') && random.chance(0.5)) return wanted;
    return `{${members.map(([each, value]) => `"${each}" : ${value}`).join()}}`;
  }

  /** What an operator compares with, as JSON. */
  #wanted(name: string, key: string, one: FieldDeclaration, operator: string): string {
    const { random, model } = this;
    if (operator === 'is') return random.pick(['"null"', '"null"', '"set"', '"set"', '"set"', '"null"', 'null']);
    if (operator === 'in')
      return `[${Array.from({ length: random.pick([0, 1, 2, 3]) }, () => this.#wanted(name, key, one, 'has')).join()}]`;
    if (betweenFields.includes(operator) && random.chance(0.25)) {
      const columns = Object.entries(model?.columnsOf(name) ?? {}).filter(([other]) => !other.endsWith('ed_at'));
      const same = columns.filter(
        ([, { type, scale, to }]) => type === one.type && scale === one.scale && to === one.to,
      );
      return `{"field":"${random.pick(random.chance(0.03) ? columns : same)[0]}"}`;
    }
    const { type } = one.type === 'list' ? elementOf(one) : one;
    const isBare = ['integer', 'number', 'reference', 'boolean'].includes(type);
    const spelled = () => {
      const text = this.#operand(name, key, one, operator);
      return isBare && (numeral.test(text) || ['true', 'false'].includes(text)) ? text : JSON.stringify(text);
    };
    // A filter has many values, and few should be refused.
    for (let tries = 0; tries < 10; tries++) {
      const node = parsed(spelled());
      if (node !== undefined && operandOf(node, one) !== undefined) return node.text;
    }
    return spelled();
  }

  #operand(name: string, field: string, declared: FieldDeclaration, operator: string): string {
    const { random, model } = this;
    if (operator === 'is') return random.pick(['null', 'null', 'set', 'set', 'x']);
    if (operator === 'words') return this.#wordsIn(name);
    if (operator === 'in')
      return Array.from({ length: 1 + random.below(3) }, () => this.#operand(name, field, declared, 'eq')).join(',');
    const rows = [...(model?.table(name).rows.values() ?? [])];
    const stored = rows.length === 0 ? undefined : random.pick(rows).values.get(field);
    const kept =
      stored !== undefined && stored !== null && random.chance(0.7) ? kindOf(declared).write(stored, declared) : '';
    const node = parsed(kept === '' ? this.any(declared) : kept);
    const one = Array.isArray(node?.value) && node.value.length > 0 ? (random.pick(node.value) as Node) : node;
    const text = typeof one?.value === 'string' ? one.value.toWellFormed() : (one?.text ?? '');
    if (operator === 'eq_ci')
      return random.pick([text, text.toUpperCase(), text.toLowerCase()]).slice(0, 100).toWellFormed();
    if (!['contains', 'starts_with', 'contains_ci'].includes(operator)) return [...text].slice(0, 100).join('');
    const part = [...text].slice(0, random.below(3)).join('');
    // What a pattern would read otherwise, and letters of the other case.
    return random.chance(0.6)
      ? part
      : random.pick(['%', '_', '\\', 'A', 'B', 'X', 'É', '[', ']', '*', '?', '^', '.', part.toUpperCase()]);
  }
}

export function randomFile(shape: readonly (readonly number[])[], seed: number, extras: Extras): File {
  const names = ['alpha', 'beta', 'gamma', 'delta'].slice(0, shape.length);
  return Object.fromEntries(
    shape.map((seeds, at) => {
      const maker = new Maker(new Random(seed + at), extras, undefined);
      const contract = maker.random.chance(0.2);
      const free = maker.random.shuffled(fieldNames).filter((key) => !contract || key !== 'external_id');
      const own = seeds.map((one, index) => {
        const field = new Maker(new Random(one), extras, undefined).field(at, names);
        return [free[index] ?? '', field] as const;
      });
      // Half of what can go wrong is between records.
      const parent = at === 0 ? [] : [['parent', maker.reference(at, maker.random.below(at), names)] as const];
      const fields: Fields = Object.fromEntries(maker.random.shuffled([...own, ...parent]));
      const name = names[at] ?? '';
      const rules = { unique: randomRules(maker, fields), check: randomChecks(maker, fields) };
      const indexes = maker.indexes(fields);
      const texts = Object.keys(fields).filter((key) => fields[key]?.type === 'text' && !fields[key]?.search);
      const search = texts.length > 0 && maker.random.chance(0.5) ? { search: [maker.random.pick(texts)] } : {};
      return [
        name,
        { singular: `one_${name}`, fields, ...(contract ? { contract } : {}), indexes, ...rules, ...search },
      ];
    }),
  );
}

/** The same collections after steps that lose nothing. */
export function evolved(file: File, seeds: readonly number[], extras: Extras): File {
  return seeds.reduce((before, seed) => oneStep(before, new Maker(new Random(seed), extras, undefined)), file);
}

function oneStep(file: File, maker: Maker): File {
  const { random } = maker;
  const names = Object.keys(file);
  const name = random.pick(names);
  const { fields, ...rest }: CollectionDeclaration = file[name] ?? { singular: '', fields: {} };
  const after = (changed: Fields, more = {}): File => ({ ...file, [name]: { ...rest, ...more, fields: changed } });
  const key = random.pick(Object.keys(fields));
  const one = fields[key] ?? integer;
  switch (random.below(9)) {
    case 0:
      return after(Object.fromEntries(random.shuffled(Object.entries(fields))));
    case 1:
      return after({ ...fields, [key]: { ...one, optional: true } });
    case 2: {
      const { min: _, max, pattern: __, unique, ...wide } = one;
      if (one.type === 'choice')
        return after({
          ...fields,
          [key]: { ...one, of: [...(one.of as string[]), `new ${(one.of as string[]).length}`] },
        });
      const bound = max === undefined ? {} : one.type === 'text' ? { max: 160 } : random.chance(0.5) ? { max } : {};
      const isUnique = unique === true && random.chance(0.7);
      return after({ ...fields, [key]: { ...wide, ...bound, ...(isUnique ? { unique } : {}) } });
    }
    case 3: {
      const unique = rest.unique?.filter(() => random.chance(0.5));
      const check = rest.check?.filter(() => random.chance(0.5));
      return after(fields, {
        indexes: maker.indexes(fields),
        ...(unique === undefined ? {} : { unique }),
        ...(check === undefined ? {} : { check }),
      });
    }
    case 8: {
      // One of the fields is searched, or no more.
      const search = rest.search?.filter((listed) => listed !== key);
      if (one.type !== 'text') return after(fields);
      const flag = one.search || rest.search?.includes(key) ? {} : { search: true };
      const { search: _, ...others } = one;
      return after(
        { ...fields, [key]: { ...others, ...flag } },
        search === undefined || search.length === 0 ? { search: undefined } : { search },
      );
    }
    case 4:
      if (names.length < 4)
        return {
          ...file,
          delta: { singular: 'one_delta', fields: { b2: maker.field(names.length, names), a: integer } },
        };
      return after({
        ...fields,
        [key]: one.unique || one.type === 'reference' ? one : { ...one, default: maker.preset(one) },
      });
    default: {
      const added = random.pick(fieldNames.filter((free) => fields[free] === undefined && free !== 'external_id'));
      const entries = Object.entries(fields);
      const field = maker.field(names.indexOf(name), names, true);
      const all = Object.fromEntries(entries.toSpliced(random.below(entries.length + 1), 0, [added, field]));
      // Null in every record, so that none can break a rule.
      const rule =
        uniqueTypes.includes(field.type) && field.default === undefined && random.chance(0.5)
          ? randomRule(maker, all, added)
          : undefined;
      return after(all, rule === undefined ? {} : { unique: [...(rest.unique ?? []), rule] });
    }
  }
}
