/** Bodies of a caller with a role: only some fields may be sent, and the server sets others. */
import { Failure, invalidBody, type Problem } from '../errors.ts';
import type { Json } from '../input/json.ts';
import type { Collection } from '../record/collection.ts';
import type { Draft, RecordShape } from '../record/record.ts';
import { objectIn } from '../record/row.ts';
import type { Field, FieldValue } from '../types/type.ts';

export type BodyRules = {
  readonly role: string;
  readonly stored: Collection;
  /** Those that may be sent, as a collection. */
  readonly sendable: Collection;
  /** Those that may be read, as a collection. */
  readonly seen: Collection;
  /** For records that may be new: the others of their fields have defaults. */
  readonly isNew: boolean;
};

/** `set` are fields that the server sets; whole records get them, and the defaults of fields that cannot be sent. */
export function bodyCollection(rules: BodyRules, set: Readonly<Record<string, FieldValue>>): Collection {
  const { sendable, seen } = rules;
  return Object.create(sendable, {
    record: { value: bodyShape(rules, set) },
    // Conditions are on the fields that may be read.
    columns: { value: seen.columns },
    references: { value: sendable.references },
    searched: { value: seen.searched },
    unique: { value: seen.unique.filter(({ fields }) => fields.every((field) => sendable.columns.has(field))) },
  }) as Collection;
}

function bodyShape(
  { role, stored, sendable, seen, isNew }: BodyRules,
  set: Readonly<Record<string, FieldValue>>,
): RecordShape {
  const { record: inner } = sendable;
  const { record: whole } = stored;
  const setKeys = Object.keys(set);

  /** The body without fields that the server sets, and without those that may only be read, which are problems. */
  function own(json: Json): { readonly rest: Json; readonly problems: readonly Problem[] } {
    const sent = objectIn(stored.singular, json);
    const problems: Problem[] = [];
    const kept = Object.entries(sent).filter(([key, value]) => {
      if (setKeys.includes(key)) {
        const message = mistakeIn(whole.writable[key], set[key] ?? null, value, json, key);
        if (message !== undefined) problems.push({ field: key, message });
        return false;
      }
      if (Object.hasOwn(inner.writable, key) || inner.readOnly.includes(key) || !seen.columns.has(key)) return true;
      problems.push({ field: key, message: `cannot be set by the role ${role}; leave it out` });
      return false;
    });
    return { rest: kept.length === Object.keys(sent).length ? json : withValue(json, kept), problems };
  }

  /** `parse` throws `invalid_body`. */
  function read(json: Json, parse: (json: Json) => Draft): Draft {
    const { rest, problems } = own(json);
    if (problems.length === 0) return parse(rest);
    try {
      parse(rest);
    } catch (error) {
      if (!(error instanceof Failure) || error.problems === undefined) throw error;
      throw invalidBody(stored.singular, [...problems, ...error.problems]);
    }
    throw invalidBody(stored.singular, problems);
  }

  const withSet = ({ contractId, fields }: Draft): Draft => ({ contractId, fields: { ...fields, ...set } });

  /** Throws `forbidden` if a field that is required cannot be sent, and gets no value. */
  function complete(draft: Draft): Draft {
    const own = withSet(draft);
    const all = isNew ? whole.completed(own) : own;
    if (!('lacking' in all)) return all;
    throw new Failure('forbidden', {
      detail: `The role ${role} may not create records of ${stored.name}: its rule gives no value to a field that is required.`,
    });
  }

  return Object.create(inner, {
    members: {
      value: {
        keys: [...new Set([...inner.members.keys, ...setKeys])],
        texts: [...new Set([...inner.members.texts, ...whole.members.texts.filter((key) => setKeys.includes(key))])],
      },
    },
    encode: { value: seen.record.encode },
    encodeRecorded: { value: seen.record.encodeRecorded },
    encodeOnly: { value: seen.record.encodeOnly },
    encodeDraft: { value: whole.encodeDraft },
    parse: {
      value: (json: Json, unknown?: ReadonlySet<string>) => complete(read(json, (rest) => inner.parse(rest, unknown))),
    },
    parseExported: { value: (json: Json) => complete(read(json, inner.parseExported)) },
    parsePatch: { value: (json: Json) => withSet(read(json, inner.parsePatch)) },
    parseKeyed: {
      value: (json: Json, key: readonly string[]) => withSet(read(json, (rest) => inner.parseKeyed(rest, key))),
    },
    completed: { value: whole.completed },
  }) as RecordShape;
}

/** What is wrong with the value of a field that the server sets; undefined if it is the one that the server sets. */
function mistakeIn(
  field: Field | undefined,
  set: FieldValue,
  value: unknown,
  json: Json,
  key: string,
): string | undefined {
  if (field === undefined) return 'cannot be sent';
  const read = value === null ? null : field.read(value, field.takesText ? json.text(key) : json.literal(key));
  return read === set ? undefined : 'is set by the server to another value; leave it out';
}

function withValue(json: Json, members: readonly (readonly [string, unknown])[]): Json {
  return {
    value: Object.fromEntries(members),
    literal: (key) => json.literal(key),
    text: (key) => json.text(key),
  };
}
