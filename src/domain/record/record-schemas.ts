/** The schemas of a record, and of the bodies that create or change one. */
import type { Field } from '../types/type.ts';
import type { FieldDeclaration } from './declaration.ts';
import { exactJson, jsonSchema, type Schema } from './json-schema.ts';
import { plainJson } from './plain-data.ts';
import type { Fields } from './row.ts';

/** Unknown members are refused. */
const closed = { additionalProperties: false };

/** In the production API. */
export function schemasOf(writable: Fields, hasExternalId: boolean) {
  const keys = Object.keys(writable);
  const properties = propertiesOf(writable);
  const optional = [...absentKeys(writable), ...(hasExternalId ? ['external_id'] : [])];
  const int64 = (description?: string) =>
    jsonSchema.integer({ format: 'int64', minimum: 1, ...(description === undefined ? {} : { description }) });
  return {
    schema: jsonSchema.object({
      id: int64('Made by the server, unique, never used again.'),
      ...properties,
      version: int64(),
      created_at: jsonSchema.string({ format: 'date-time' }),
      updated_at: jsonSchema.string({ format: 'date-time' }),
    }),
    draftSchema: jsonSchema.object(propertiesOf(writable, 'with defaults'), optional, closed),
    patchSchema: jsonSchema.object(properties, keys, closed),
  };
}

/** The fields that a body which creates or replaces a record may leave out. */
function absentKeys(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => mayBeAbsent(fields[key]?.declared));
}

export function mayBeAbsent(declared: FieldDeclaration | undefined): boolean {
  return declared?.optional === true || declared?.default !== undefined;
}

/** The schemas of a record in the contract API, and of a body that creates one. Unknown members of a body are ignored. */
export function contractSchemas(fields: Fields): { readonly record: Schema; readonly body: Schema } {
  return {
    record: jsonSchema.object(propertiesOf(fields)),
    body: jsonSchema.object(propertiesOf(fields, 'with defaults'), absentKeys(fields)),
  };
}

/** Only a body that creates or replaces a record gets defaults. */
function propertiesOf(fields: Fields, defaults?: 'with defaults'): Readonly<Record<string, Schema>> {
  const schemas = Object.entries(fields).map(([key, field]) => {
    const { clock, declared } = field;
    const { default: preset } = declared;
    const isShown = defaults !== undefined && preset !== undefined;
    if (isShown && clock !== undefined)
      return [key, schemaOf(field, `If absent: the ${clock.what} of the change.`)] as const;
    const shown = isShown ? { default: exactJson(plainJson(preset)) } : {};
    return [key, { ...schemaOf(field), ...shown }] as const;
  });
  return Object.fromEntries(schemas);
}

/** The schema of a value in JSON, null included. `whenAbsent` describes what becomes of a field that is left out. */
function schemaOf({ schema, declared }: Field, whenAbsent?: string): Schema {
  const { title, description, optional } = declared;
  const titled = title === undefined ? {} : { title };
  // The bounds of some types are in a description of their own.
  const own = optional ? undefined : schema.description;
  const all = [description, own, whenAbsent].filter((one) => one !== undefined);
  const described = all.length === 0 ? {} : { description: all.join('\n\n') };
  return optional
    ? jsonSchema.either([schema, jsonSchema.null()], { ...titled, ...described })
    : { ...schema, ...titled, ...described };
}
