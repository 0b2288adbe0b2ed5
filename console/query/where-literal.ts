/** Filters as the `where` of the typed client. */
import { columnsOf } from '../api/columns.ts';
import { type Collection, elementOf, type FieldDeclaration } from '../api/declarations.ts';
import type { Filter } from '../api/query.ts';
import { everyWordColumn } from '../api/text-search.ts';
import { objectLiteral, quote } from '../code/typescript.ts';

export function whereLiteral(collection: Collection, filters: readonly Filter[]): string {
  // An object has a member once.
  const isRepeated = ({ field, operator }: Filter, place: number) =>
    filters.slice(0, place).some((one) => one.field === field && one.operator === operator);
  const repeated = filters.filter(isRepeated);
  const members = membersOf(
    collection,
    filters.filter((filter, place) => !isRepeated(filter, place)),
  );
  if (repeated.length === 0) return objectLiteral(members);
  const more = repeated.map((filter) => objectLiteral(membersOf(collection, [filter])));
  return objectLiteral([...members, ['all', `[${more.join(', ')}]`]]);
}

function membersOf(collection: Collection, filters: readonly Filter[]): [name: string, literal: string][] {
  const columns = columnsOf(collection);
  const every = everyWordColumn(collection).map(({ name }) => name);
  return [...Map.groupBy(filters, ({ field }) => field)].map(([name, own]) => {
    // It has no operator; each word of each must occur.
    if (every.includes(name)) return [name, quote(own.map(({ value }) => value).join(' '))];
    const column = columns.find((one) => one.name === name);
    // The client has the server's own numbers as numbers, and other integers as bigints.
    const field =
      column?.isOwn === true && column.field.type === 'integer'
        ? { type: 'number' }
        : (column?.field ?? { type: 'text' });
    return [name, objectLiteral(own.map(({ operator, value }) => [operator, filterLiteral(field, operator, value)]))];
  });
}

function filterLiteral(field: FieldDeclaration, operator: string, value: string): string {
  if (operator === 'is') return quote(value);
  if (operator === 'in')
    return `[${value
      .split(',')
      .map((one) => scalar(field.type, one))
      .join(', ')}]`;
  return scalar(operator === 'has' ? elementOf(field).type : field.type, value);
}

function scalar(type: string, value: string): string {
  if (type === 'integer' && /^-?\d+$/.test(value)) return `${value}n`;
  if ((type === 'number' || type === 'reference') && value !== '' && !Number.isNaN(Number(value))) return value;
  if (type === 'boolean') return value;
  return quote(value);
}
