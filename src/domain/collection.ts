/** A collection is a declaration; its schema, its reading and its writing as JSON all follow from it. */
import Type, { type TSchema } from 'typebox';
import { encoder, type FieldValue } from './encode.ts';
import { invalidBody, type Problem } from './errors.ts';
import { type Field, integer } from './field.ts';
import type { Json } from './json.ts';

/** What the contract API offers of a collection. Every collection can be listed and added to. */
export type Operation = 'fetch' | 'delete';

/** A record as the contract knows it: its client-supplied id and the declared fields. */
export type Row = { readonly id: bigint; readonly [field: string]: FieldValue };

type Fields = Readonly<Record<string, Field>>;
type RowOf<F extends Fields> = { id: bigint } & {
  [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never;
};

export type Declaration<F extends Fields> = {
  /** Names the table and the path, as in `/api/items`. */
  readonly name: string;
  /** Names one record, as in the schema `Item`. */
  readonly singular: string;
  readonly fields: F;
  /** The record that a new table starts with; also the example in the documentation. */
  readonly first: RowOf<F>;
  readonly operations: readonly Operation[];
  /** The contract's name for the id in the path. */
  readonly idParameter: string;
  /** Fields that are often sorted or filtered by; each makes writing a little dearer. */
  readonly indexes?: readonly (keyof F & string)[];
};

export type Collection = {
  readonly name: string;
  readonly singular: string;
  readonly schemaName: string;
  /** Names all of it in OpenAPI, as in `listItems`. */
  readonly pluralName: string;
  readonly idParameter: string;
  readonly operations: readonly Operation[];
  readonly indexes: readonly string[];
  readonly first: Row;
  /** The id and then the declared fields, in the order in which they are written. */
  readonly fields: Fields;
  readonly schema: TSchema;
  /** The record in a body; throws `invalid_body` with every problem at once. Unknown fields are dropped. */
  parse(json: Json): Row;
  encode(row: Row): string;
};

const validName = /^[a-z][a-z0-9_]*$/;
const reserved = ['id', 'seq', 'version', 'created_at', 'updated_at', 'external_id'];

export function collection<F extends Fields>(declaration: Declaration<F>): Collection {
  const { name, singular } = declaration;
  for (const word of [name, singular, ...Object.keys(declaration.fields)]) {
    if (!validName.test(word))
      throw new Error(`collection ${name}: "${word}" must be lower-case letters, digits and _`);
  }
  for (const field of Object.keys(declaration.fields)) {
    if (reserved.includes(field)) throw new Error(`collection ${name}: the field name "${field}" is taken`);
  }

  const fields: Fields = { id: integer(), ...declaration.fields };
  const named = Object.entries(fields);
  const schema = Type.Object(Object.fromEntries(named.map(([key, field]) => [key, field.schema])));

  function parse({ value, literal }: Json): Row {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalidBody(singular, [{ field: undefined, message: 'must be a JSON object' }]);
    }
    const sent = value as Readonly<Record<string, unknown>>;
    const row: Record<string, FieldValue> = {};
    const problems: Problem[] = [];
    for (const [key, field] of named) {
      const read = Object.hasOwn(sent, key) ? field.read(sent[key], literal(key)) : { refused: 'is required' };
      if (typeof read === 'object') problems.push({ field: key, message: read.refused });
      else row[key] = read;
    }
    if (problems.length > 0) throw invalidBody(singular, problems);
    return row as Row;
  }

  return {
    name,
    singular,
    schemaName: typeName(singular),
    pluralName: typeName(name),
    idParameter: declaration.idParameter,
    operations: declaration.operations,
    indexes: declaration.indexes ?? [],
    first: declaration.first,
    fields,
    schema,
    parse,
    encode: encoder(fields),
  };
}

/** `order_line` as generated code would name it: `OrderLine`. */
function typeName(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
