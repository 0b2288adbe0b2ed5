/** What the table shows, as code. */
import type { Collection } from '../../api/declarations.ts';
import type { Batch } from '../../api/delete-many.ts';
import { isConditions, type Query, searchOf, sortNames } from '../../api/query.ts';
import type { Code } from '../../code/as-code.tsx';
import { curlOf } from '../../code/curl.ts';
import { fetchProgram } from '../../code/fetch-program.ts';
import { listLiteral, objectLiteral, programOf } from '../../code/typescript.ts';
import { whereLiteral } from '../../query/where-literal.ts';

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
  const members: [string, string][] = [];
  if (filters.length > 0) members.push(['where', whereLiteral(collection, filters)]);
  if (sort.length > 0) members.push(['sort', listLiteral(sortNames(sort))]);
  if (fields !== undefined) members.push(['fields', listLiteral(fields)]);
  return members.length === 0 ? '' : objectLiteral(members);
}
