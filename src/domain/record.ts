/** A record as the production API shows it and takes it. */
import Type, { type TSchema } from 'typebox';
import type { Collection } from './collection.ts';
import { encoder, type FieldValue, type Kinds, partialEncoder } from './encode.ts';
import { invalidBody, type Problem } from './errors.ts';
import { type Field, integer } from './field.ts';
import type { Json } from './json.ts';
import type { Stored } from './store.ts';

/** What a client may send of a record: the contract's id, which is optional, and the declared fields. */
export type Draft = { readonly id: bigint | undefined; readonly fields: Readonly<Record<string, FieldValue>> };

/** Set by the server; a body that has one of them is refused. */
const readOnly = ['id', 'version', 'created_at', 'updated_at'];
/** Other members are refused. */
const closed = { additionalProperties: false };

export type RecordShape = {
  /** The members that a body may have, or is told that it may not. */
  readonly keys: readonly string[];
  /** Of a record as it is answered. */
  readonly schema: TSchema;
  /** Of a body that makes or replaces one. */
  readonly draftSchema: TSchema;
  /** Of a body that changes some of it. */
  readonly patchSchema: TSchema;
  encode(stored: Stored): string;
  /** Some of its fields, in their usual order. */
  encodeOnly(fields: readonly string[]): (stored: Stored) => string;
  /** As it is stored: the fields that it has, and without an id where none was sent. */
  encodeDraft(draft: Draft): string;
  /** A whole record; throws `invalid_body` with every problem at once. */
  parse(json: Json): Draft;
  /** Some of its fields (RFC 7396); throws as `parse` does. */
  parsePatch(json: Json): Draft;
};

export function recordShape(collection: Collection): RecordShape {
  const { id: externalId = integer(), ...declared } = collection.fields;
  const writable: Readonly<Record<string, Field>> = { external_id: externalId, ...declared };
  const kinds: Kinds = {
    id: { kind: 'integer' },
    ...writable,
    version: { kind: 'integer' },
    created_at: { kind: 'text' },
    updated_at: { kind: 'text' },
  };
  const write = encoder(kinds);
  const writeDraft = partialEncoder(collection.fields);
  const schemas = Object.fromEntries(Object.entries(writable).map(([key, { schema }]) => [key, schema]));
  const optional = Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, Type.Optional(schema)]));

  /** What a body says of each field that may be written; `missing` is what is wrong with one that it does not name. */
  function read({ value, literal }: Json, missing: (key: string) => string | undefined): Map<string, FieldValue> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalidBody(collection.singular, [{ field: undefined, message: 'must be a JSON object' }]);
    }
    const sent = value as Readonly<Record<string, unknown>>;
    const values = new Map<string, FieldValue>();
    const problems: Problem[] = [];
    for (const key of Object.keys(sent)) {
      if (readOnly.includes(key)) problems.push({ field: key, message: 'is set by the server, so leave it out' });
      else if (!Object.hasOwn(writable, key))
        problems.push({ field: key, message: `is no field: there are ${Object.keys(writable).join(', ')}` });
    }
    for (const [key, field] of Object.entries(writable)) {
      if (!Object.hasOwn(sent, key)) {
        const message = missing(key);
        if (message !== undefined) problems.push({ field: key, message });
        continue;
      }
      const found = sent[key] === null ? { refused: 'cannot be null' } : field.read(sent[key], literal(key));
      if (typeof found === 'object') problems.push({ field: key, message: found.refused });
      else values.set(key, found);
    }
    if (problems.length > 0) throw invalidBody(collection.singular, problems);
    return values;
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
    encodeOnly(fields) {
      const some = encoder(Object.fromEntries(Object.entries(kinds).filter(([key]) => fields.includes(key))));
      return (stored) => some(valuesOf(stored));
    },
    encodeDraft: ({ id, fields }) => writeDraft(id === undefined ? fields : { id, ...fields }),
    parse: (json) => draftOf(read(json, (key) => (key === 'external_id' ? undefined : 'is required'))),
    parsePatch: (json) => draftOf(read(json, () => undefined)),
  };
}

function draftOf(values: ReadonlyMap<string, FieldValue>): Draft {
  const { external_id: id, ...fields } = Object.fromEntries(values);
  return { id: id as bigint | undefined, fields };
}

/** By its names in the production API. */
export function valuesOf({ seq, version, createdAt, updatedAt, row: { id, ...fields } }: Stored) {
  return { id: seq, external_id: id, ...fields, version, created_at: createdAt, updated_at: updatedAt };
}
