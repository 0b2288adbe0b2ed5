/** The named schemas of transactions in OpenAPI: operations are a union by `op`. */
import Type, { type TSchema } from 'typebox';
import type { Collection } from '../../domain/record/collection.ts';
import { countOperators } from '../../domain/store/operation.ts';
import { maxName } from '../../domain/transaction/created-records.ts';
import { type OperationName, operationMembers, operationNames } from '../../domain/transaction/operation-members.ts';
import { maxOperations } from '../../domain/transaction/read-transaction.ts';
import { int64, oneOf, refTo } from './schemas.ts';

/** Unknown members are refused. */
const closed = { additionalProperties: false };

/** An object whose members depend on the collection. */
const open = (description: string) => Type.Unsafe<object>({ type: 'object', additionalProperties: true, description });

const records: Readonly<Partial<Record<OperationName, string>>> = {
  create: 'The record, as POST takes it.',
  update: 'The fields to change, as PATCH takes them.',
  replace: 'The record, as PUT takes it.',
  add: 'The number to add to each field, written as the field is.',
  upsert: 'The record without the fields of the key, as POST takes it.',
};

/** The members that an operation cannot do without. */
const required: Readonly<Record<OperationName, readonly string[]>> = {
  create: ['record'],
  update: ['record'],
  replace: ['id', 'record'],
  add: ['record'],
  delete: [],
  upsert: ['key', 'record'],
  check: [],
};

export const operationSchema = (op: OperationName) => `${op.charAt(0).toUpperCase()}${op.slice(1)}Operation`;

export function transactionSchemas(collections: readonly Collection[]): Readonly<Record<string, TSchema>> {
  const names = collections.map(({ name }) => name);
  const schemas = operationNames.map((op) => [operationSchema(op), schemaOf(op, names)] as const);
  const refs = operationNames.map((op) => [op, `#/components/schemas/${operationSchema(op)}`] as const);
  return {
    ...Object.fromEntries(schemas),
    CreatedReference: Type.Object(
      { created: Type.String({ description: 'The name that an earlier operation gives with `as`.' }) },
      closed,
    ),
    CountBounds: Type.Object(
      Object.fromEntries(countOperators.map((one) => [one, Type.Optional(int64({ minimum: 0 }))])),
      { ...closed, minProperties: 1 },
    ),
    TransactionOperation: Type.Unsafe<object>({
      oneOf: refs.map(([, $ref]) => ({ $ref })),
      discriminator: { propertyName: 'op', mapping: Object.fromEntries(refs) },
    }),
    TransactionRequest: Type.Object(
      {
        operations: Type.Array(refTo('TransactionOperation'), { minItems: 1, maxItems: maxOperations }),
        return: Type.Optional(
          Type.Unsafe<string>({
            type: 'string',
            enum: ['records'],
            description: 'Makes each result the whole record.',
          }),
        ),
      },
      closed,
    ),
    RecordResult: Type.Unsafe<object>({
      ...Type.Object({
        id: int64({ minimum: 1 }),
        version: Type.Union([int64({ minimum: 1 }), Type.Null()], {
          description: 'Null for a record that must not exist.',
        }),
      }),
      additionalProperties: true,
      description: 'The record after the operation, of a deletion the last; its fields only with `"return":"records"`.',
    }),
    CountResult: Type.Object({
      count: int64({ minimum: 0, description: 'The number of records that match `where`.' }),
    }),
    TransactionResults: Type.Object({
      results: Type.Array(Type.Union([refTo('RecordResult'), refTo('CountResult')]), {
        description: 'One for each operation, in their order.',
      }),
      first_change: changeNumber('first'),
      last_change: changeNumber('last'),
    }),
  };
}

const changeNumber = (which: string) =>
  Type.Union([int64({ minimum: 1 }), Type.Null()], {
    description: `The number of the ${which} change; null if nothing was changed.`,
  });

function schemaOf(op: OperationName, names: readonly string[]): TSchema {
  const schemas: Readonly<Record<string, TSchema>> = {
    op: oneOf([op]),
    collection: oneOf(names),
    id: Type.Union([int64({ minimum: 1 }), refTo('CreatedReference')]),
    record: open(`${records[op]} A reference may be \`{"created":"name"}\`.`),
    key: open('The values of the fields of one unique rule.'),
    as: Type.String({ minLength: 1, maxLength: maxName, description: 'Names the record for later operations.' }),
    version: int64({ minimum: 1, description: 'The version that the record must have.' }),
    exists: Type.Boolean({ description: 'Whether there must be a record with this id; true if it is left out.' }),
    where: open(op === 'replace' ? 'Conditions on the record.' : 'Conditions on the record; without an id, on all.'),
    count: refTo('CountBounds'),
  };
  const needed = ['op', 'collection', ...required[op]];
  const members = operationMembers[op].map((name) => {
    const schema = schemas[name] ?? Type.Unknown();
    return [name, needed.includes(name) ? schema : Type.Optional(schema)] as const;
  });
  return Type.Object(Object.fromEntries(members), closed);
}
