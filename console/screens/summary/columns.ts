/** What a summary can be made of, and the type of each column that it has. */
import { type Column, columnsOf, isNumeric, isOrdered, operatorsOf } from '../../api/columns.ts';
import type { Collection, FieldDeclaration } from '../../api/declarations.ts';

const dayParts = ['year', 'quarter', 'month', 'week', 'day'];

/** The numbers that the server gives to records make no groups or measures that anyone looks for. */
const offered = (collection: Collection) =>
  columnsOf(collection).filter(({ isOwn, field }) => !isOwn || field.type === 'timestamp');

export function groupsOf(collection: Collection): readonly string[] {
  return offered(collection)
    .filter(({ field }) => isOrdered(field))
    .flatMap(({ name, field }) => [name, ...partsOf(field).map((part) => `${name}.${part}`)]);
}

function partsOf({ type }: FieldDeclaration): readonly string[] {
  if (type === 'timestamp') return [...dayParts, 'hour'];
  return type === 'date' ? dayParts : [];
}

export function measuresOf(collection: Collection): readonly string[] {
  const ofFields = offered(collection).flatMap(({ name, field }) => [
    ...(isNumeric(field) ? [`${name}.sum`, `${name}.avg`] : []),
    ...(operatorsOf(field).includes('lt') ? [`${name}.min`, `${name}.max`] : []),
    ...(isOrdered(field) ? [`${name}.distinct`] : []),
  ]);
  return ['count', ...ofFields];
}

/** The field, and the part of it or how it is measured. */
export function splitName(name: string): readonly [field: string, part: string | undefined] {
  const [field = '', part] = name.split('.');
  return [field, part];
}

/** An unknown name is a text: the server says what is wrong with it. */
const fieldOf = (collection: Collection, name: string): FieldDeclaration =>
  columnsOf(collection).find((column) => column.name === name)?.field ?? { type: 'text' };

export function groupColumn(collection: Collection, name: string): Column {
  const [key, part] = splitName(name);
  const field = fieldOf(collection, key);
  return { name, field: part === undefined ? field : { type: part === 'year' ? 'integer' : 'text' }, isOwn: false };
}

export function measureColumn(collection: Collection, name: string): Column {
  const [key, operation] = splitName(name);
  return { name, field: measured(fieldOf(collection, key), operation), isOwn: false };
}

function measured(field: FieldDeclaration, operation: string | undefined): FieldDeclaration {
  if (operation === undefined || operation === 'distinct') return { type: 'integer' };
  return operation === 'avg' && field.type === 'integer' ? { type: 'decimal' } : field;
}
