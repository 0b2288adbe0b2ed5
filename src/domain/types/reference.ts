import { maxInteger } from '../../exact/integer.ts';
import { jsonSchema } from '../record/json-schema.ts';
import { readInteger, sameInteger } from './integer.ts';
import type { FieldType, Refusal } from './type.ts';

export const deletions = ['restrict', 'clear', 'cascade'] as const;

function read(value: unknown, exact: string | undefined): bigint | Refusal {
  const id = readInteger(value, exact, 1n, maxInteger);
  return typeof id === 'bigint' && id < 1n ? { refused: 'must be an id, which is 1 or more' } : id;
}

export const reference: FieldType = {
  about: 'The id of a record of another collection, or of its own.',
  options: {
    to: {
      required: true,
      schema: jsonSchema.string({ description: 'The collection that it refers to.' }),
      expected: 'the name of a collection',
      isRight: (value) => typeof value === 'string' && value !== '',
    },
    on_delete: {
      schema: {
        type: 'string',
        enum: [...deletions],
        default: 'restrict',
        description:
          'When the other record is deleted: restrict refuses that, clear sets this field to null, cascade deletes this record too.',
      },
      expected: `one of ${deletions.join(', ')}`,
      isRight: (value) => deletions.some((one) => one === value),
    },
  },
  problems({ on_delete, optional }) {
    return on_delete === 'clear' && optional !== true ? [['on_delete', 'clear needs "optional": true']] : [];
  },
  kept: ({ to }) => `to ${to}`,
  canBeUnique: true,
  isScalar: false,
  compile: (declared) => ({
    declared,
    schema: jsonSchema.integer({ format: 'int64', minimum: 1, description: `The id of a record of ${declared.to}.` }),
    example: 1,
    read,
    readCell: (text) => read(undefined, text),
    ...sameInteger,
    // The server assigns ids below 2^53.
    typescript: 'number',
    filter: { ...sameInteger.filter, operators: ['eq', 'ne', 'in'] },
  }),
};
