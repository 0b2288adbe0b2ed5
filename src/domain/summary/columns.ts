/** The columns of a summary: each has a field, as if it were one of a record. */
import { integerOf, withoutPoint, withPoint } from '../../exact/integer.ts';
import type { Collection } from '../record/collection.ts';
import { jsonSchema } from '../record/json-schema.ts';
import { identifier } from '../sql-text.ts';
import { compileField } from '../types/all-types.ts';
import type { Field } from '../types/type.ts';
import type { Filterable } from '../where/where.ts';
import { type GroupBy, isOfField, type Measure, type Operation, type Summary, type SummaryColumn } from './summary.ts';

/** Every name of a summary was checked. */
export type FieldOf = (key: string) => Field;

export function fieldsOf({ columns }: Pick<Collection, 'columns'>): FieldOf {
  return (key) => {
    const field = columns.get(key)?.field;
    if (field === undefined) throw new Error(`there is no field ${key}`);
    return field;
  };
}

/** The columns as conditions see them. */
export function filterable(columns: readonly SummaryColumn[]): Filterable {
  const named = columns.map(({ name, field }) => [name, { name: identifier(name), field: unsearched(field) }] as const);
  return { name: 'the summary', columns: new Map(named), references: [], searched: [] };
}

/** Only the words of records are indexed. */
function unsearched(field: Field): Field {
  const { filter } = field;
  if (!filter.operators.includes('words')) return field;
  const operators = filter.operators.filter((one) => one !== 'words');
  // A copy would lack what the field inherits.
  return Object.assign(Object.create(field) as Field, { filter: { ...filter, operators } });
}

/** An average of exact values has as many places more than they have. */
export const averagePlaces = 7;

/** What a field can be measured by. */
export function operationsOf({ precision, filter, isOrdered }: Field): readonly Operation[] {
  return [
    ...(precision === undefined ? [] : (['sum', 'avg'] as const)),
    ...(filter.operators.includes('lt') ? (['min', 'max'] as const) : []),
    ...(isOrdered ? (['distinct'] as const) : []),
  ];
}

/** The groups, then the measures: the members of a row in their order. */
export function columnsOf({ groups, measures }: Pick<Summary, 'groups' | 'measures'>, fieldOf: FieldOf) {
  return [
    ...groups.map((group): SummaryColumn => ({ name: group.name, field: groupField(group, fieldOf) })),
    ...measures.map((measure): SummaryColumn => ({ name: measure.name, field: measureField(measure, fieldOf) })),
  ];
}

export function groupField({ key, part }: GroupBy, fieldOf: FieldOf): Field {
  const field = fieldOf(key);
  if (part === undefined) return field;
  const found = field.parts?.[part];
  if (found === undefined) throw new Error(`${key} has no part ${part}`);
  return field.declared.optional ? orNull(found.field) : found.field;
}

export function measureField(measure: Measure, fieldOf: FieldOf): Field {
  if (!isOfField(measure) || measure.operation === 'distinct') return counted;
  const field = fieldOf(measure.key);
  if (measure.operation === 'sum') return sumField(field);
  return measure.operation === 'avg' ? averageField(field) : orNull(field);
}

/** Numbers of records and values are below 2^53. */
const counted: Field = { ...compileField({ type: 'integer' }), typescript: 'number' };
const double = compileField({ type: 'number', optional: true });

function sumField({ precision = 0, schema }: Field): Field {
  if (precision === 'binary') return double;
  return schema.type === 'string' ? anyDecimal(precision) : anyInteger;
}

function averageField({ precision = 0 }: Field): Field {
  return precision === 'binary' ? double : anyDecimal(precision + averagePlaces);
}

/** A sum has as many digits as it needs. */
const integer = compileField({ type: 'integer', optional: true });
const anyInteger: Field = {
  ...integer,
  schema: jsonSchema.integer({ format: 'int64', description: 'With every digit, also beyond 64 bits.' }),
  filter: {
    ...integer.filter,
    expected: 'an integer',
    schema: jsonSchema.integer(),
    parse: (text) => integerOf(text) ?? withoutPoint(text, 0),
  },
};

function anyDecimal(scale: number): Field {
  const field = compileField({ type: 'decimal', scale, optional: true });
  const pattern = scale === 0 ? '^-?\\d+$' : `^-?\\d+\\.\\d{${scale}}$`;
  const places = scale === 0 ? '' : `(\\.\\d{1,${scale}})?`;
  return {
    ...field,
    schema: jsonSchema.string({ format: 'decimal', pattern }),
    filter: {
      ...field.filter,
      schema: jsonSchema.string({ format: 'decimal', pattern: `^-?\\d{1,40}${places}$` }),
      parse: (text) => {
        const digits = withoutPoint(text, scale);
        return digits === undefined ? undefined : withPoint(digits, scale);
      },
    },
  };
}

/** A copy would compute the example. */
function orNull(field: Field): Field {
  return Object.assign(Object.create(field) as Field, { declared: { ...field.declared, optional: true } });
}
