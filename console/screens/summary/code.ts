/** A summary as code. */
import type { Collection } from '../../api/declarations.ts';
import { isConditions, sortNames } from '../../api/query.ts';
import type { Code } from '../../code/as-code.tsx';
import { curlOf } from '../../code/curl.ts';
import { fetchProgram } from '../../code/fetch-program.ts';
import { listLiteral, objectLiteral, programOf } from '../../code/typescript.ts';
import type { SummaryQuery } from '../../query/summary-query.ts';
import { whereLiteral } from '../../query/where-literal.ts';
import { limited, summaryPath } from './rows.ts';

export function codeOf(collection: Collection, query: SummaryQuery, withKey: boolean): Code {
  const path = summaryPath(collection, query);
  const curl = curlOf({ path }, withKey);
  // The types of the values in these are unknown here.
  if (query.filters.some(isConditions)) return { curl, typescript: fetchProgram({ path }, withKey) };
  const { groups, measures, filters, sort, limit = '' } = limited(query);
  const members: [string, string][] = groups.length === 0 ? [] : [['group', listLiteral(groups)]];
  members.push(['measures', listLiteral(measures)]);
  if (filters.length > 0) members.push(['where', whereLiteral(collection, filters)]);
  if (sort.length > 0) members.push(['sort', listLiteral(sortNames(sort))]);
  members.push(['limit', limit]);
  const call = `shelf.${collection.name}.summary(${objectLiteral(members)})`;
  const body = `const { data } = await ${call};\nfor (const row of data) console.log(row);`;
  return { curl, typescript: programOf(body, withKey) };
}
