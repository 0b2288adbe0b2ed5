/** A record in responses and bodies of the production API. */

import { invalidBody, type Problem } from '../errors.ts';
import type { Json } from '../input/json.ts';
import { lazy } from '../lazy.ts';
import { type Identifier, identifier } from '../sql-text.ts';
import { integer } from '../types/integer.ts';
import { timestamp } from '../types/timestamp.ts';
import type { Field, FieldValue } from '../types/type.ts';
import { encoder, memberEncoder, partialEncoder } from './encode.ts';
import type { Schema } from './json-schema.ts';
import { draftEncoders } from './open-moments.ts';
import { Effort } from './pattern-effort.ts';
import { schemasOf } from './record-schemas.ts';
import {
  absentStored,
  absentValues,
  type Fields,
  type Judge,
  keyIsAbsent,
  type Members,
  objectIn,
  type Reading,
  type Row,
  readFields,
} from './row.ts';

/** The metadata that the server adds to a record. */
export type Meta = {
  /** Assigned by the server, unique, never reused; the order of insertion. */
  readonly recordId: number;
  /** 1 at creation; each change increases it. */
  readonly version: number;
  /** UTC with milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type Stored = Meta & { readonly row: Row };

/** A record as a change recorded it: `json` has the fields of that time, which may not be the declared ones any more. */
export type Recorded = Meta & { readonly json: string };

/** The part of a record that a client may send: the contract's id, which is optional, and the declared fields. */
export type Draft = { readonly contractId: bigint | undefined; readonly fields: Readonly<Record<string, FieldValue>> };

/** A column of the table: a field by its name in the production API. */
export type Column = {
  readonly name: Identifier;
  readonly field: Field;
};

/** Set by the server: a body with one of them is refused, and a bulk ignores them, so that an export can be sent. */
const readOnly = ['id', 'version', 'created_at', 'updated_at'];

const serial = integer.compile({ type: 'integer' });
const moment = timestamp.compile({ type: 'timestamp' });
/** The contract's id. */
export const externalId = serial;

export type RecordShape = {
  /** The fields that a body may have, by their names. */
  readonly writable: Fields;
  /** Members that the server sets. */
  readonly readOnly: readonly string[];
  /** The name of the contract's id, which the server sets if it is absent; undefined if the collection has none. */
  readonly optionalId: string | undefined;
  /** The writable members of a body, and the read-only ones, which are refused by name. */
  readonly members: Members;
  /** Undefined if records have no rules of their own. */
  readonly judge: Judge | undefined;
  /** A record in a response. */
  readonly schema: Schema;
  /** A body that creates or replaces a record. */
  readonly draftSchema: Schema;
  /** A body that changes some fields. */
  readonly patchSchema: Schema;
  encode(stored: Stored): string;
  encodeRecorded(recorded: Recorded): string;
  /** Encodes only these fields, in their usual order. */
  encodeOnly(fields: readonly string[]): (stored: Stored) => string;
  /** As stored, but for open fields: the fields that were sent, and no id if none was sent. */
  encodeDraft(draft: Draft): string;
  /** Parses a whole record; throws `invalid_body` with every problem at once. The values of the fields in `unknown` stand for others. */
  parse(json: Json, unknown?: ReadonlySet<string>): Draft;
  /** Like `parse`, and ignores members that the server sets. */
  parseExported(json: Json): Draft;
  /** Like `parseExported`, for a record that is stored or was: patterns may take as long as they need. */
  parseStored(json: Json): Draft;
  /** Parses a merge patch (RFC 7396); throws like `parse`. */
  parsePatch(json: Json): Draft;
  /** Like `parsePatch`, but ignores members that the server sets, and needs the fields in `key`. */
  parseKeyed(json: Json, key: readonly string[]): Draft;
  /** The whole record with these fields, and defaults for the others; or the required fields that it lacks. */
  completed(draft: Draft): Draft | { readonly lacking: readonly string[] };
};

/** `fields` start with the contract's id, if the collection has it. */
export function columnsOf({ id, ...declared }: Fields): ReadonlyMap<string, Column> {
  return new Map<string, Column>([
    ['id', { name: identifier('seq'), field: serial }],
    ...(id === undefined ? [] : [['external_id', { name: identifier('id'), field: id }] as const]),
    ...Object.entries(declared).map(([key, field]) => [key, { name: identifier(key), field }] as const),
    ['version', { name: identifier('version'), field: serial }],
    ['created_at', { name: identifier('created_at'), field: moment }],
    ['updated_at', { name: identifier('updated_at'), field: moment }],
  ]);
}

/** `fields` start with the contract's id, if the collection has it. */
export function recordShape(
  singular: string,
  fields: Fields,
  judge: () => Judge | undefined = () => undefined,
): RecordShape {
  const { id, ...declared } = fields;
  const writable: Fields = id === undefined ? declared : { external_id: id, ...declared };
  const named = Object.entries(writable).map(([key, field]) => [key, withoutNull(field)] as const);
  const encoders: Fields = { id: serial, ...writable, version: serial, created_at: moment, updated_at: moment };
  const writeMembers = memberEncoder(fields, (key) => (key === 'id' ? 'external_id' : key));
  const writeDraft = partialEncoder(draftEncoders(fields));
  const schemas = lazy(() => schemasOf(writable, id !== undefined));

  const optionalId = id === undefined ? undefined : 'external_id';

  function read(json: Json, reading: Reading, { isExported, isJudged, unknown }: ReadingOptions = {}): Draft {
    const sent = objectIn(singular, json);
    const problems: Problem[] = [];
    for (const key of Object.keys(sent)) {
      if (readOnly.includes(key)) {
        if (!isExported) problems.push({ field: key, message: 'is set by the server; leave it out' });
      } else if (!Object.hasOwn(writable, key))
        problems.push({ field: key, message: `unknown field; known fields: ${Object.keys(writable).join(', ')}` });
    }
    const values = readFields(sent, named, json, reading, problems);
    if (isJudged) judge()?.(unknown === undefined ? values : withoutMembers(values, unknown), problems);
    if (problems.length > 0) throw invalidBody(singular, problems);
    if (id === undefined) return { contractId: undefined, fields: values };
    const { external_id, ...rest } = values;
    return { contractId: external_id as bigint | undefined, fields: rest };
  }

  const mayBeLeftOut = named.filter(([key]) => key !== optionalId);
  const absent = absentValues(mayBeLeftOut);
  const absentIn = absentValues(mayBeLeftOut, absentStored);

  return {
    writable,
    readOnly,
    optionalId,
    members: { keys: [...readOnly, ...Object.keys(writable)], texts: textsOf(writable) },
    get judge() {
      return judge();
    },
    get schema() {
      return schemas().schema;
    },
    get draftSchema() {
      return schemas().draftSchema;
    },
    get patchSchema() {
      return schemas().patchSchema;
    },
    encode: ({ recordId, version, createdAt, updatedAt, row }) =>
      `{"id":${recordId}${writeMembers(row)},"version":${version},"created_at":"${createdAt}","updated_at":"${updatedAt}"}`,
    encodeRecorded: ({ recordId, version, createdAt, updatedAt, json }) =>
      `{"id":${recordId},${membersBefore(recordedMembers(json))}"version":${version},"created_at":"${createdAt}","updated_at":"${updatedAt}"}`,
    encodeOnly(fields) {
      const some = encoder(Object.fromEntries(Object.entries(encoders).filter(([key]) => fields.includes(key))));
      return (stored) => some(valuesOf(stored));
    },
    encodeDraft: ({ contractId, fields }) =>
      writeDraft(contractId === undefined ? fields : { id: contractId, ...fields }),
    parse: (json, unknown) => read(json, { absent, effort: new Effort() }, { isJudged: true, unknown }),
    parseExported: (json) => read(json, { absent, effort: new Effort() }, { isJudged: true, isExported: true }),
    parseStored: (json) => read(json, { absent: absentIn, effort: undefined }, { isExported: true }),
    parsePatch: (json) => read(json, { absent: () => undefined, effort: new Effort() }),
    parseKeyed(json, key) {
      const keyAbsent = (field: string) => (key.includes(field) ? { refused: keyIsAbsent } : undefined);
      return read(json, { absent: keyAbsent, effort: new Effort(), key }, { isJudged: true, isExported: true });
    },
    completed({ contractId, fields }) {
      const lacking: string[] = [];
      const all: Record<string, FieldValue> = { ...fields };
      for (const [key] of mayBeLeftOut) {
        const value = key in fields ? undefined : absent(key);
        if (typeof value === 'object' && value !== null) lacking.push(key);
        else if (value !== undefined) all[key] = value;
      }
      return lacking.length > 0 ? { lacking } : { contractId, fields: all };
    },
  };
}

type ReadingOptions = {
  /** Members that the server sets are ignored. */
  readonly isExported?: true;
  /** By the rules of the collection. */
  readonly isJudged?: true;
  readonly unknown?: ReadonlySet<string> | undefined;
};

function withoutMembers(values: Row, names: ReadonlySet<string>): Row {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !names.has(key)));
}

/** The members of recorded JSON, by their names in the production API. The contract's id comes first. */
export function recordedMembers(json: string): string {
  return json.startsWith('{"id":') ? `"external_id":${json.slice(6, -1)}` : json.slice(1, -1);
}

/** The members, and a comma if there are any. */
function membersBefore(members: string): string {
  return members === '' ? '' : `${members},`;
}

/** The fields whose text is needed. */
export function textsOf(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => fields[key]?.takesText);
}

/** Values by their names in the production API. */
export function valuesOf({
  recordId,
  version,
  createdAt,
  updatedAt,
  row,
}: Stored): Readonly<Record<string, FieldValue>> {
  const { id, ...fields } = row;
  const meta = { ...fields, version, created_at: createdAt, updated_at: updatedAt };
  return id === undefined ? { id: recordId, ...meta } : { id: recordId, external_id: id, ...meta };
}

/** In a merge patch null removes a member, but a field that is not optional is required. */
function withoutNull(field: Field): Field {
  const read: Field['read'] = (value, exact, effort) =>
    value === null ? { refused: 'cannot be null' } : field.read(value, exact, effort);
  // A copy would compute the example.
  return Object.assign(Object.create(field) as Field, { read });
}
