/** The summary of a collection: its records in groups, with measures of each. */
import Type from 'typebox';
import { everything, seenIn } from '../../domain/access/view.ts';
import { lazy } from '../../domain/lazy.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Store } from '../../domain/store/store.ts';
import type { SummaryFormat } from '../../domain/summary/answer.ts';
import { groupsOf, measuresOf, parseSummary, summaryNames } from '../../domain/summary/read-summary.ts';
import { maxRows, most } from '../../domain/summary/summary.ts';
import { typeChooser } from '../route/accept.ts';
import { ifNoneMatch } from '../route/etag.ts';
import { jsonContent, notModified, type Operation, type Parameter, readFailures } from '../route/operation.ts';
import { jsonWithEtag } from '../route/reply-with-etag.ts';
import type { Route } from '../route/route.ts';
import { oneOf, refTo, schemaNames } from '../route/schemas.ts';
import { viewFor } from '../route/sight.ts';
import type { Expander } from './expand.ts';
import { csvType } from './export.ts';
import { aboutFilters, filterParameters, list, whereParameter } from './list-parameters.ts';

const formatOf = typeChooser<SummaryFormat>(['application/json', 'text/csv']);

export function summaryRoute(collection: Collection, store: Store, expander: Expander): Route {
  const { name } = collection;
  const all = everything(collection);
  const operation = lazy(() => operationOf(collection));
  return {
    method: 'GET',
    sight: 'records',
    path: `/api/v2/${name}/summary`,
    collection: name,
    get operation() {
      return operation();
    },
    handle: async (call) => {
      const { request, search, requester } = call;
      const view = viewFor(call, all);
      const summary = parseSummary(seenIn(view), search, expander.targetsOf(call));
      const format = formatOf(request);
      const text = await store.reads.summary(view, summary, format, requester);
      const type = format === 'text/csv' ? { 'Content-Type': csvType } : {};
      return jsonWithEtag(request, text, { Vary: 'Accept, Accept-Encoding', ...type });
    },
  };
}

function operationOf(collection: Collection): Operation {
  const { name, pluralName } = collection;
  const names = [...groupsOf(collection), ...measuresOf(collection)].map((one) => one.name);
  return {
    id: `summarize${pluralName}V2`,
    tag: `v2 ${name}`,
    summary: `Summarize ${name}: in groups, with measures of each`,
    // As a second media type it would make the answer a union in generated clients.
    description: `A row has the groups and the measures that were asked for. With \`Accept: text/csv\`, the rows as CSV. ${aboutFilters(collection)}`,
    problems: true,
    queries: [
      list(
        'group',
        'What the records are grouped by; without it all are one group. Null is a group, too.',
        oneOf(groupsOf(collection).map((one) => one.name)),
        most.groups,
      ),
      list(
        'measures',
        'The measures of each group; count if absent.',
        oneOf(measuresOf(collection).map((one) => one.name)),
        most.measures,
      ),
      whereParameter(collection),
      havingParameter,
      list(
        'sort',
        'Groups and measures to sort by, of those that are asked for, in order; a minus before a name sorts it descending. Ties are sorted by the groups.',
        oneOf(names.flatMap((one) => [one, `-${one}`])),
      ),
      {
        name: 'limit',
        description: `At most this many rows. Without a limit, more than ${maxRows} groups are an error.`,
        schema: Type.Integer({ format: 'int64', minimum: 1, maximum: maxRows }),
      },
      ...filterParameters(collection, summaryNames),
    ],
    headers: [ifNoneMatch],
    answers: [
      {
        status: 200,
        description: 'The rows, and how many groups there are without the limit.',
        headers: ['ETag', 'Vary', 'Content-Encoding'],
        content: jsonContent(refTo(schemaNames(collection).summary), { data: [{ count: 2 }], groups: 1 }),
      },
      notModified,
    ],
    failures: ['precondition_failed', 'timed_out', ...readFailures],
  };
}

const havingExample = '{"count":{"gte":2}}';
const havingParameter: Parameter = {
  name: 'having',
  description: `Conditions on the measures that are asked for, as JSON with the same grammar as \`where\`. Such as \`${havingExample}\`.`,
  schema: Type.Unsafe({ type: 'string', contentMediaType: 'application/json', examples: [havingExample] }),
};
