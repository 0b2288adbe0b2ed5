/** The named schemas of OpenAPI: a generated client has one type for each. */
import Type, { type TSchema } from 'typebox';
import type { Collection } from '../../domain/record/collection.ts';
import { exactJson, type Schema } from '../../domain/record/json-schema.ts';
import { listed } from '../../domain/record/rule-text.ts';
import { columnsOf, fieldsOf } from '../../domain/summary/columns.ts';
import { groupsOf, measuresOf } from '../../domain/summary/read-summary.ts';
import { problemSchema } from './problem.ts';
import { whereSchema } from './where-schema.ts';

/** For numbers that the server assigns or counts. */
export const int64 = (options: { minimum?: number; description?: string } = {}) =>
  Type.Integer({ format: 'int64', ...options });
export const time = () => Type.String({ format: 'date-time' });
export const oneOf = (values: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...values] });

export function schemaNames({ schemaName, hasAbsent }: Collection) {
  return {
    /** A body of the contract API. */
    body: hasAbsent ? `${schemaName}Body` : schemaName,
    record: `${schemaName}Record`,
    draft: `${schemaName}Draft`,
    patch: `${schemaName}Patch`,
    page: `${schemaName}Page`,
    change: `${schemaName}Change`,
    where: `${schemaName}Where`,
    summary: `${schemaName}Summary`,
    summaryRow: `${schemaName}SummaryRow`,
  };
}

export function refTo(name: string): TSchema {
  return Type.Ref(`#/components/schemas/${name}`);
}

/** A record of the contract API, for the documentation; undefined if none is known. */
export function contractExample({ example, encode }: Collection): Readonly<Record<string, unknown>> | undefined {
  return example === undefined ? undefined : (exactJson(encode(example)) as Readonly<Record<string, unknown>>);
}

const errorSchema = Type.Object({
  detail: Type.String({ description: 'What failed, and the fix.' }),
  errors: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
      description: 'Every problem with the body; the field is empty for the body as a whole.',
    }),
  ),
});

const bulkSchema = Type.Object({
  created: int64({ minimum: 1 }),
  first_id: int64({ minimum: 1 }),
  last_id: int64({ minimum: 1 }),
});

const noId = (description: string) => Type.Union([int64({ minimum: 1 }), Type.Null()], { description });

/** For collections that have a key. */
const keyedBulkSchema = Type.Object({
  created: int64({ minimum: 0 }),
  updated: Type.Optional(int64({ minimum: 0, description: 'Only with `key`.' })),
  first_id: noId('The first record that was created; null if none was.'),
  last_id: noId('The last record that was created; null if none was.'),
});

/** The members of a record that an update may change, the version and the time included. */
function earlierMembers({ properties }: Schema): TSchema {
  const { id: _, created_at: __, ...rest } = properties as Readonly<Record<string, Schema>>;
  const description = 'Only of an update: what it changed, as it was before. Absent in updates of a server before 0.6.';
  return Type.Unsafe({ type: 'object', description, properties: rest });
}

/** What JSON Schema cannot say of several members together. */
function withRules(schema: Schema, { checks }: Collection): Schema {
  if (checks.length === 0) return schema;
  const rules = checks.map(({ fields, condition, message }) => {
    const names = listed(fields.map((field) => `\`${field}\``));
    return `\`${condition}\`, or 400 \`invalid_body\` at ${names}: ${message}`;
  });
  return {
    ...schema,
    description: `Every record meets, after every change:\n\n${rules.map((rule) => `- ${rule}`).join('\n')}`,
  };
}

function schemasOf(collection: Collection): Readonly<Record<string, TSchema>> {
  const { schemaName, schema, bodySchema, singular, contract } = collection;
  const shape = collection.record;
  const names = schemaNames(collection);
  const record = refTo(names.record);
  return {
    ...(contract === undefined ? {} : { [schemaName]: schema, [names.body]: withRules(bodySchema, collection) }),
    [names.record]: withRules(shape.schema, collection),
    [names.draft]: withRules(shape.draftSchema, collection),
    [names.patch]: withRules(shape.patchSchema, collection),
    [names.page]: Type.Object({
      data: Type.Array(record),
      next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'Null on the last page.' }),
      total: Type.Optional(int64({ minimum: 0, description: 'Only with count=exact.' })),
    }),
    [names.change]: Type.Object({
      seq: int64({ minimum: 1, description: 'Increases with each change; no number is used twice.' }),
      type: oneOf(['created', 'updated', 'deleted'].map((type) => `${singular}.${type}`)),
      at: time(),
      by: Type.Union([Type.String(), Type.Null()], {
        description:
          'The name of the API key that made the change, or the subject of the token; null without authentication.',
      }),
      trace_id: Type.Optional(
        Type.String({
          pattern: '^[0-9a-f]{32}$',
          description:
            'The trace of the request that made the change, with OpenTelemetry on. Never for a caller with a role.',
        }),
      ),
      transaction: Type.Optional(
        Type.Object(
          {
            first: int64({ minimum: 1, description: 'The number of its first change.' }),
            size: int64({ minimum: 2, description: 'How many changes it has. Their numbers are consecutive.' }),
          },
          { description: 'Only for a change of a transaction of several operations.' },
        ),
      ),
      match: Type.Optional(
        Type.Unsafe<string>({
          ...oneOf(['entered', 'stayed', 'left']),
          description: 'Only with a filter: what the change does to the list of the records that match.',
        }),
      ),
      record,
      before: Type.Optional(earlierMembers(shape.schema)),
    }),
    [names.where]: whereSchema(collection, refTo(names.where)),
    [names.summary]: Type.Object({
      data: Type.Array(refTo(names.summaryRow)),
      groups: int64({ minimum: 0, description: 'The number of groups, whatever the limit.' }),
    }),
    [names.summaryRow]: summaryRowSchema(collection),
  };
}

/** A row of a summary has those members that were asked for. */
function summaryRowSchema(collection: Collection): TSchema {
  const all = { groups: groupsOf(collection), measures: measuresOf(collection) };
  // A group can have the name of the measure `count`.
  const byName = Map.groupBy(columnsOf(all, fieldsOf(collection)), ({ name }) => name);
  const properties = [...byName].map(([name, columns]) => {
    const schemas = columns.map(({ field }) => field.schema);
    const orNull = columns.some(({ field }) => field.declared.optional) ? [{ type: 'null' }] : [];
    const anyOf = [...schemas, ...orNull];
    return [name, anyOf.length === 1 ? schemas[0] : { anyOf }] as const;
  });
  return Type.Unsafe({ type: 'object', properties: Object.fromEntries(properties) });
}

export function allSchemas(collections: readonly Collection[]): Readonly<Record<string, TSchema>> {
  const changes = collections.map((collection) => refTo(schemaNames(collection).change));
  return {
    ...Object.assign({}, ...collections.map(schemasOf)),
    Change: Type.Union(changes),
    ChangePage: Type.Object({
      data: Type.Array(refTo('Change')),
      last: int64({ minimum: 0, description: 'How far the server has looked: continue with after= this number.' }),
      partial: Type.Optional(
        Type.Literal(true, {
          description: 'The page ends inside a transaction that is larger than a page. Absent otherwise.',
        }),
      ),
      more: Type.Optional(
        Type.Literal(true, {
          description:
            'Only with a filter: the server has not looked at every change yet, so the page may have none though more follow. Absent otherwise.',
        }),
      ),
    }),
    BulkResult: bulkSchema,
    ...(collections.some(({ unique }) => unique.length > 0) ? { KeyedBulkResult: keyedBulkSchema } : {}),
    Error: errorSchema,
    Problem: problemSchema,
  };
}
