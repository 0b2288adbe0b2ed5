/** The types of the typed client (`shelf-client`), as the text of a TypeScript file. */

import { sortable } from '../domain/input/query.ts';
import type { Collection } from '../domain/record/collection.ts';
import type { FieldDeclaration, Plain } from '../domain/record/declaration.ts';
import { plainJson } from '../domain/record/plain-data.ts';
import type { Column } from '../domain/record/record.ts';
import { listed } from '../domain/record/rule-text.ts';
import { comparisons, type Operator } from '../domain/types/type.ts';
import { comparableWith } from '../domain/where/field-path.ts';
import { everySearched, operatorsOf } from '../domain/where/where.ts';

/** Types that the file imports, and its own. */
const imported = ['Comparison', 'Filter', 'Json'];
const reserved = ['Shelf', ...imported];

/** Numbers that the server assigns are below 2^53. */
const assigned: Readonly<Record<string, string>> = {
  id: 'Assigned by the server, unique, never reused.',
  version: '1 at creation; each change increases it.',
};
const times: Readonly<Record<string, string>> = {
  created_at: 'UTC with milliseconds.',
  updated_at: 'UTC with milliseconds.',
};
const external = 'The id in the contract API; the new id if absent.';

/** The fields that a caller may read and send; undefined for all of them. */
export type FieldRights = { readonly readable: readonly string[]; readonly sendable: readonly string[] };

/** `rightsOf` is for a caller that may do only some things, with the collections that exist for it. */
export function typescriptOf(
  declared: readonly Collection[],
  rightsOf: (collection: string) => FieldRights | undefined = () => undefined,
): string {
  const names = new Names();
  const collections = declared.map((collection) => {
    const rights = rightsOf(collection.name);
    return rights === undefined ? collection : limited(collection, rights.readable);
  });
  const parts = collections.map((collection, at) => {
    const sendable = rightsOf(collection.name)?.sendable;
    const name = names.take(collection.schemaName);
    const [draft, where] = [names.take(`${name}Draft`), names.take(`${name}Where`)];
    return {
      member: memberOf(collection, { name, draft, where }, collections),
      types: [
        recordOf(collection, name),
        draftOf(declared[at] ?? collection, draft, sendable),
        whereOf(collection, where),
      ].join('\n'),
    };
  });
  const body = `export interface Shelf {\n${parts.map(({ member }) => member).join('')}}\n\n${parts.map(({ types }) => types).join('\n')}`;
  const used = imported.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return `// Made by \`shelf types\`. Do not edit it: change the collections, and run the command again.
import type { ${used.join(', ')} } from 'shelf-client';

/** Every collection: \`createClient<Shelf>({ url })\`. */
${body}`;
}

/** With these fields alone. */
function limited(collection: Collection, readable: readonly string[]): Collection {
  const columns = new Map([...collection.columns].filter(([key]) => readable.includes(key)));
  const isReadable = (key: string) => columns.has(key);
  return {
    ...collection,
    columns,
    references: collection.references.filter(({ field }) => isReadable(field)),
    unique: collection.unique.filter(({ fields }) => fields.every(isReadable)),
    searched: collection.searched.filter(isReadable),
  };
}

/** Interfaces of different collections cannot have the same name: `book_draft` is not the draft of `book`. */
class Names {
  readonly #taken = new Set(reserved);

  take(wanted: string): string {
    let name = wanted;
    while (this.#taken.has(name)) name += '_';
    this.#taken.add(name);
    return name;
  }
}

type Interfaces = { readonly name: string; readonly draft: string; readonly where: string };

function memberOf(collection: Collection, types: Interfaces, all: readonly Collection[]): string {
  const { name, singular, declaration, references, columns, unique } = collection;
  const numeric = [...columns].filter(
    ([key, { field }]) => field.add !== undefined && !(key in assigned) && key !== 'external_id',
  );
  /** Days are grouped by fewer parts than times. */
  const timed = (hasHours: boolean) =>
    [...columns].flatMap(
      ([
        key,
        {
          field: { parts },
        },
      ]) => (parts !== undefined && 'hour' in parts === hasHours ? [quoted(key)] : []),
    );
  // A key may not read every collection that is referred to.
  const shown = references.filter(({ to }) => all.some((one) => one.name === to));
  const texts = [declaration.title, declaration.description].filter((text) => text !== undefined);
  return `${comment(texts, '  ')}  ${name}: {
    singular: '${singular}';
    record: ${types.name};
    draft: ${types.draft};
    where: ${types.where};
    sort: ${unionOf(sortable(collection).map(quoted))};
    numeric: ${unionOf(numeric.map(([key]) => quoted(key)))};
    days: ${unionOf(timed(false))};
    times: ${unionOf(timed(true))};
    unique: ${unionOf([...new Set(unique.map(({ fields }) => `[${fields.map(quoted).join(', ')}]`))])};
    references: ${shown.length === 0 ? 'object' : `{ ${shown.map(({ field, to }) => `${field}: '${to}'`).join('; ')} }`};
  };
`;
}

const quoted = (name: string) => `'${name}'`;
const unionOf = (types: readonly string[]) => (types.length === 0 ? 'never' : types.join(' | '));

function recordOf({ columns, name: collection }: Collection, name: string): string {
  const members = [...columns].map(([key, column]) => {
    const type = column.field.declared.optional ? `${typeOf(key, column)} | null` : typeOf(key, column);
    return `${comment(textsOf(key, column), '  ')}  ${key}: ${type};\n`;
  });
  return `/** A record of ${collection}. */\nexport interface ${name} {\n${members.join('')}}\n`;
}

function draftOf({ columns, name: collection }: Collection, name: string, sendable?: readonly string[]): string {
  const members = [...columns]
    .filter(([key]) => !(key in assigned || key in times) && (sendable?.includes(key) ?? true))
    .map(([key, column]) => {
      const { optional, default: preset } = column.field.declared;
      const type = optional ? `${typeOf(key, column)} | null` : typeOf(key, column);
      const isRequired = !optional && preset === undefined && key !== 'external_id';
      return `${comment(textsOf(key, column), '  ')}  ${key}${isRequired ? '' : '?'}: ${type};\n`;
    });
  return `/** A record of ${collection} to be created. */\nexport interface ${name} {\n${members.join('')}}\n`;
}

function whereOf(collection: Collection, name: string): string {
  const members = [...collection.columns].flatMap(([key, column]) => {
    const operators = operatorsOf(column.field);
    if (operators.length === 0) return [];
    const value = column.field.filter.typescript ?? typeOf(key, column);
    const others = comparableWith(collection, key).map(quoted);
    const types = [value, operatorType(operators), ...(others.length === 0 ? [] : [others.join(' | ')])];
    return [`  ${key}?: Filter<${types.join(', ')}>;\n`];
  });
  if (collection.searched.length > 0)
    members.push(`  /** In any of ${listed(collection.searched)}. */\n  ${everySearched}?: string;\n`);
  return `/** Filters of ${collection.name}. */\nexport interface ${name} {\n${members.join('')}}\n`;
}

function operatorType(operators: readonly Operator[]): string {
  const isOrdered = comparisons.every((one) => operators.includes(one));
  const others = isOrdered ? operators.filter((one) => !comparisons.includes(one)) : operators;
  return [...(isOrdered ? ['Comparison'] : []), ...others.map(quoted)].join(' | ');
}

const typeOf = (key: string, { field }: Column) => (key in assigned ? 'number' : field.typescript);

/** What the declaration says about a field. */
function textsOf(key: string, { field: { declared } }: Column): string[] {
  const known = assigned[key] ?? times[key] ?? (key === 'external_id' ? external : undefined);
  if (known !== undefined) return [known];
  const { title, description } = declared;
  return [title, description, factsOf(declared)].filter((text) => text !== undefined);
}

/** `decimal, scale 2, min "0"`: the type, and the options that the TypeScript type does not show. */
function factsOf({ type, title: _, description: __, optional: ___, was: ____, ...options }: FieldDeclaration): string {
  // A list of values is the TypeScript type itself.
  const shown = Object.entries(options).filter(([, value]) => value !== undefined && !isList(value));
  return [type, ...shown.map(([option, value]) => (value === true ? option : `${option} ${plainJson(value)}`))].join(
    ', ',
  );
}

const isList = (value: Plain) => Array.isArray(value) && value.length > 0;

/** The lines of all texts. */
function comment(texts: readonly string[], indent: string): string {
  const lines = texts.flatMap((text) => text.replaceAll('*/', '* /').split(/\r?\n/));
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}
