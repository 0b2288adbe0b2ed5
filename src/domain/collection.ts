/** A collection is a declaration; its schema, its reading and its writing as JSON all follow from it. */
import Type, { type TSchema } from 'typebox';
import { encoder } from './encode.ts';
import { invalidBody, type Problem } from './errors.ts';
import { type Field, integer } from './field.ts';
import type { Json } from './json.ts';
import { type ColumnKind, columnsOf, type RecordShape, recordShape } from './record.ts';
import { type Fields, objectIn, type Row, readFields } from './row.ts';

/** What the contract API offers of a collection. Every collection can be listed and added to. */
export type Operation = 'fetch' | 'delete';

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
  /** The record in the production API. */
  readonly record: RecordShape;
  /** Every column of a record, by its name in the production API. */
  readonly columns: ReadonlyMap<string, ColumnKind>;
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

  function parse(json: Json): Row {
    const problems: Problem[] = [];
    const row = readFields(objectIn(singular, json), named, json.literal, () => 'is required', problems);
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
    record: recordShape(singular, fields),
    columns: columnsOf(fields),
  };
}

/** `order_line` as generated code would name it: `OrderLine`. */
function typeName(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
