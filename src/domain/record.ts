/** A record in responses and bodies of the production API. */
import Type, { type TSchema } from 'typebox';
import { encoder, type FieldValue, type Kind, type Kinds, partialEncoder } from './encode.ts';
import { invalidBody, type Problem } from './errors.ts';
import { type Field, integer } from './field.ts';
import type { Json } from './json.ts';
import { type Fields, objectIn, type Row, readFields } from './row.ts';

/** The kind of a column; a time is stored as text. */
export type ColumnKind = Kind | 'time';

/** A record with the metadata that the server adds. */
export type Stored = {
  /** Assigned by the server, unique, never reused; the order of insertion. */
  readonly seq: number;
  /** 1 at creation; each change increases it. */
  readonly version: number;
  /** UTC with milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly row: Row;
};

/** A column as a database returns it. */
export type ColumnValue = FieldValue | undefined;

/** The part of a record that a client may send: the contract's id, which is optional, and the declared fields. */
export type Draft = { readonly id: bigint | undefined; readonly fields: Readonly<Record<string, FieldValue>> };

/** Set by the server; a body with one of them is refused. */
const readOnly = ['id', 'version', 'created_at', 'updated_at'];
/** Unknown members are refused. */
const closed = { additionalProperties: false };

export type RecordShape = {
  /** The writable members of a body, and the read-only ones, which are refused by name. */
  readonly keys: readonly string[];
  /** A record in a response. */
  readonly schema: TSchema;
  /** A body that creates or replaces a record. */
  readonly draftSchema: TSchema;
  /** A body that changes some fields. */
  readonly patchSchema: TSchema;
  encode(stored: Stored): string;
  /** `values` are the fields in their declared order. */
  decode(
    meta: {
      readonly seq: ColumnValue;
      readonly version: ColumnValue;
      readonly createdAt: ColumnValue;
      readonly updatedAt: ColumnValue;
    },
    values: readonly ColumnValue[],
  ): Stored;
  /** Encodes only these fields, in their usual order. */
  encodeOnly(fields: readonly string[]): (stored: Stored) => string;
  /** As stored: the fields that were sent, and no id if none was sent. */
  encodeDraft(draft: Draft): string;
  /** Parses a whole record; throws `invalid_body` with every problem at once. */
  parse(json: Json): Draft;
  /** Parses a merge patch (RFC 7396); throws like `parse`. */
  parsePatch(json: Json): Draft;
};

export function columnsOf({ id: _, ...declared }: Fields): ReadonlyMap<string, ColumnKind> {
  return new Map<string, ColumnKind>([
    ['id', 'integer'],
    ['external_id', 'integer'],
    ...Object.entries(declared).map(([key, { kind }]) => [key, kind] as const),
    ['version', 'integer'],
    ['created_at', 'time'],
    ['updated_at', 'time'],
  ]);
}

/** `fields` start with the contract's id. */
export function recordShape(singular: string, fields: Fields): RecordShape {
  const { id: externalId = integer(), ...declared } = fields;
  const writable: Fields = { external_id: externalId, ...declared };
  const kinds: Kinds = {
    id: { kind: 'integer' },
    ...writable,
    version: { kind: 'integer' },
    created_at: { kind: 'text' },
    updated_at: { kind: 'text' },
  };
  const named = Object.entries(writable).map(([key, field]) => [key, withoutNull(field)] as const);
  const write = encoder(kinds);
  const writeDraft = partialEncoder(fields);
  const schemas = Object.fromEntries(Object.entries(writable).map(([key, { schema }]) => [key, schema]));
  const optional = Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, Type.Optional(schema)]));

  /** `missing` returns the problem with an absent field, or undefined if it is optional. */
  function read(json: Json, missing: (key: string) => string | undefined): Draft {
    const sent = objectIn(singular, json);
    const problems: Problem[] = [];
    for (const key of Object.keys(sent)) {
      if (readOnly.includes(key)) problems.push({ field: key, message: 'is set by the server; leave it out' });
      else if (!Object.hasOwn(writable, key))
        problems.push({ field: key, message: `unknown field; known fields: ${Object.keys(writable).join(', ')}` });
    }
    const { external_id: id, ...values } = readFields(sent, named, json.literal, missing, problems);
    if (problems.length > 0) throw invalidBody(singular, problems);
    return { id: id as bigint | undefined, fields: values };
  }

  return {
    keys: [...readOnly, ...Object.keys(writable)],
    schema: Type.Object({
      id: Type.Integer({ format: 'int64', minimum: 1, description: 'Made by the server, unique, never used again.' }),
      ...schemas,
      version: Type.Integer({ format: 'int64', minimum: 1 }),
      created_at: Type.String({ format: 'date-time' }),
      updated_at: Type.String({ format: 'date-time' }),
    }),
    draftSchema: Type.Object({ ...schemas, external_id: Type.Optional(externalId.schema) }, closed),
    patchSchema: Type.Object(optional, closed),
    encode: (stored) => write(valuesOf(stored)),
    decode({ seq, version, createdAt, updatedAt }, values) {
      const row = Object.fromEntries(
        Object.entries(fields).map(([key, { kind }], index) => [key, fromColumn[kind](values[index] ?? '')]),
      ) as Row;
      return {
        seq: Number(seq),
        version: Number(version),
        createdAt: String(createdAt),
        updatedAt: String(updatedAt),
        row,
      };
    },
    encodeOnly(fields) {
      const some = encoder(Object.fromEntries(Object.entries(kinds).filter(([key]) => fields.includes(key))));
      return (stored) => some(valuesOf(stored));
    },
    encodeDraft: ({ id, fields }) => writeDraft(id === undefined ? fields : { id, ...fields }),
    parse: (json) => read(json, (key) => (key === 'external_id' ? undefined : 'is required')),
    parsePatch: (json) => read(json, () => undefined),
  };
}

/** Values by their names in the production API. */
export function valuesOf({ seq, version, createdAt, updatedAt, row: { id, ...fields } }: Stored) {
  return { id: seq, external_id: id, ...fields, version, created_at: createdAt, updated_at: updatedAt };
}

/** In a merge patch null removes a member, but every field is required. */
function withoutNull(field: Field): Field {
  return {
    ...field,
    read: (value, literal) => (value === null ? { refused: 'cannot be null' } : field.read(value, literal)),
  };
}

/** Databases return a double without a fraction as an integer, and some return an integer as text. */
const fromColumn: Readonly<Record<Kind, (value: FieldValue) => FieldValue>> = {
  text: String,
  number: Number,
  integer: BigInt,
};
