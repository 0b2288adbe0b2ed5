/** What the table shows, as code. */
import { columnsOf } from '../../api/columns.ts';
import { type Collection, elementOf, type FieldDeclaration } from '../../api/declarations.ts';
import type { Batch } from '../../api/delete-many.ts';
import { isConditions, type Query, searchOf } from '../../api/query.ts';
import type { Code } from '../../code/as-code.tsx';
import { curlOf } from '../../code/curl.ts';
import { fetchProgram } from '../../code/fetch-program.ts';
import { objectLiteral, programOf, quote } from '../../code/typescript.ts';

export function codeOf(collection: Collection, query: Query, withKey: boolean): Code {
  const search = searchOf(query);
  const path = `/api/v2/${collection.name}${search === '' ? '' : `?${search}`}`;
  // The types of its values are unknown here: its paths lead to other collections.
  if (query.filters.some(isConditions))
    return { curl: curlOf({ path }, withKey), typescript: fetchProgram({ path }, withKey) };
  const options = optionsOf(collection, query);
  const call = `shelf.${collection.name}.all(${options})`;
  const body = `for await (const record of ${call}) console.log(record);`;
  return { curl: curlOf({ path }, withKey), typescript: programOf(body, withKey) };
}

/** The deletion of a selection. */
export function deletionCode(batches: readonly Batch[], withKey: boolean): Code {
  const requests = batches.map(({ request }) => request);
  return {
    curl: requests.map((request) => curlOf(request, withKey)).join('\n'),
    // Blocks, because each has the same names.
    typescript:
      requests.length === 1
        ? requests.map((request) => fetchProgram(request, withKey)).join('')
        : requests.map((request) => `{\n${fetchProgram(request, withKey)}}\n`).join(''),
  };
}

function optionsOf(collection: Collection, { filters, sort, fields }: Query): string {
  const columns = columnsOf(collection);
  const list = (names: readonly string[]) => `[${names.map(quote).join(', ')}]`;
  const where = Map.groupBy(filters, ({ field }) => field)
    .entries()
    .map(([name, own]) => {
      const column = columns.find((one) => one.name === name);
      // The client has the server's own numbers as numbers, and other integers as bigints.
      const field =
        column?.isOwn === true && column.field.type === 'integer'
          ? { type: 'number' }
          : (column?.field ?? { type: 'text' });
      return [
        name,
        objectLiteral(own.map(({ operator, value }) => [operator, filterLiteral(field, operator, value)])),
      ] as const;
    });
  const members: [string, string][] = [];
  if (filters.length > 0) members.push(['where', objectLiteral(where)]);
  if (sort.length > 0) members.push(['sort', list(sort.map(({ field, down }) => `${down ? '-' : ''}${field}`))]);
  if (fields !== undefined) members.push(['fields', list(fields)]);
  return members.length === 0 ? '' : objectLiteral(members);
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
