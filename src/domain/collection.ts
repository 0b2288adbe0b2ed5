/** A collection is a declaration: its schema, parsing and encoding follow from it. */
import Type, { type TSchema } from 'typebox';
import { encoder } from './encode.ts';
import { invalidBody, type Problem } from './errors.ts';
import { type Field, integer } from './field.ts';
import type { Json } from './json.ts';
import { type ColumnKind, columnsOf, type RecordShape, recordShape } from './record.ts';
import { type Fields, objectIn, type Row, readFields } from './row.ts';

/** Operations of the contract API. Every collection also has list and create. */
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
  /** Fields that clients often sort or filter by; each index makes writes a little slower. */
  readonly indexes?: readonly (keyof F & string)[];
};

export type Collection = {
  readonly name: string;
  readonly singular: string;
  readonly schemaName: string;
  /** Names the collection in OpenAPI, as in `listItems`. */
  readonly pluralName: string;
  readonly idParameter: string;
  readonly operations: readonly Operation[];
  readonly indexes: readonly string[];
  readonly first: Row;
  /** The id, then the declared fields, in the order of the encoded record. */
  readonly fields: Fields;
  readonly schema: TSchema;
  /** Parses a body; throws `invalid_body` with every problem at once. Unknown fields are dropped. */
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
      throw new Error(
        `Invalid name in the collection "${name}": "${word}". Use lower-case letters, digits and _, with a letter first.`,
      );
  }
  for (const field of Object.keys(declaration.fields)) {
    if (reserved.includes(field))
      throw new Error(`Reserved field name in the collection "${name}": "${field}". Rename the field.`);
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

/** `order_line` becomes `OrderLine`, as in generated code. */
function typeName(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
