/** The columns of a collection: its fields, and those that every record has. */
import type { Collection, FieldDeclaration } from './declarations.ts';

export type Column = {
  readonly name: string;
  readonly field: FieldDeclaration;
  /** The server sets it. */
  readonly isOwn: boolean;
};

const id: Column = { name: 'id', field: { type: 'integer', title: 'The number of the record' }, isOwn: true };
const externalId: Column = { name: 'external_id', field: { type: 'integer' }, isOwn: false };
const after: readonly Column[] = [
  { name: 'version', field: { type: 'integer' }, isOwn: true },
  { name: 'created_at', field: { type: 'timestamp' }, isOwn: true },
  { name: 'updated_at', field: { type: 'timestamp' }, isOwn: true },
];

export function columnsOf({ fields, contract, search = [] }: Collection): readonly Column[] {
  const declared = Object.entries(fields).map(([name, field]) => ({
    name,
    field: search.includes(name) ? { ...field, search: true } : field,
    isOwn: false,
  }));
  return [id, ...(contract ? [externalId] : []), ...declared, ...after];
}

const comparisons = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];
const operators: Readonly<Record<string, readonly string[]>> = {
  text: ['contains_ci', 'contains', 'starts_with', 'eq_ci', ...comparisons],
  boolean: ['eq', 'ne', 'in'],
  choice: ['eq', 'ne', 'in'],
  reference: ['eq', 'ne', 'in'],
  list: ['has'],
  json: [],
  words: ['eq'],
};

/** The operators of a filter on this field, the most useful first. */
export function operatorsOf({ type, optional, search }: FieldDeclaration): readonly string[] {
  const words = search === true ? ['words'] : [];
  return [...(operators[type] ?? comparisons), ...words, ...(optional === true ? ['is'] : [])];
}

export const operatorWords: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  contains: 'contains',
  contains_ci: 'contains, any case',
  eq_ci: 'is, any case',
  starts_with: 'starts with',
  words: 'has the words',
  has: 'has',
  is: 'has a value',
  json: 'matches',
};

/** Whether a filter on a text finds other texts if the case of its value changes. */
export const caseCounts = (operator: string) => !['is', 'words'].includes(operator) && !operator.endsWith('_ci');

export const isNumeric = ({ type }: FieldDeclaration) => ['integer', 'number', 'decimal'].includes(type);

export const isOrdered = ({ type }: FieldDeclaration) => type !== 'list' && type !== 'json';

/** The field that tells a person which record it is: the declared one, or the first text. */
export function labelFieldOf({ fields, shown_as: declared }: Collection): string | undefined {
  return declared ?? Object.keys(fields).find((name) => fields[name]?.type === 'text');
}
