/** Pages of a collection: filtered, sorted, and walked by a cursor. */
import Type, { type TSchema } from 'typebox';
import type { Collection } from '../domain/collection.ts';
import { invalidParameter, parametersOf } from '../domain/parameters.ts';
import { columnsOf, parseQuery } from '../domain/query.ts';
import { recordShape } from '../domain/record.ts';
import type { Store } from '../domain/store.ts';
import { cursorAfter, positionOf } from './cursor.ts';
import { exportReply, formatOf } from './export.ts';
import { jsonContent, type Parameter, type Route, readFailures, unchanged } from './route.ts';
import { taggedJson } from './tagged.ts';

export function pageRoute(collection: Collection, store: Store, example: unknown): Route {
  const { name, schemaName } = collection;
  const path = `/api/v2/${name}`;
  const shape = recordShape(collection);
  const columns = [...columnsOf(collection).keys()];
  const page = Type.Object({
    data: Type.Array(Type.Partial(shape.schema), { description: 'Whole records, or the fields that were asked for.' }),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    total: Type.Optional(Type.Integer()),
  });
  const query = (parameter: string, description: string, schema: TSchema = Type.String()): Parameter => ({
    name: parameter,
    description,
    schema,
  });

  return {
    method: 'GET',
    path,
    collection: name,
    operation: {
      id: `list${schemaName}V2`,
      tag: `v2 ${name}`,
      summary: `A page of ${name}`,
      problems: true,
      queries: [
        query('limit', 'How many; more than 1000 is taken as 1000.', Type.Integer({ minimum: 1, default: 100 })),
        query('cursor', 'next_cursor of the page before, with the same filters and sort.'),
        query('sort', `Fields in order, a minus before one that goes down, of ${columns.join(', ')}.`),
        query('fields', 'What to show of each record, separated by commas.'),
        query('count', 'exact adds total.'),
        ...columns.map((column) => query(column, `Equal to this; ${column}[gte] and other operators likewise.`)),
      ],
      answers: [
        {
          status: 200,
          description: `A page of ${name}; Link says where the next one is.`,
          content: {
            ...jsonContent(page, { data: [example], next_cursor: null }),
            'text/csv': { schema: Type.String() },
            'application/x-ndjson': { schema: Type.String() },
          },
        },
        unchanged,
      ],
      failures: ['invalid_query', 'invalid_cursor', 'precondition_failed', 'timed_out', ...readFailures],
    },
    handle: async ({ request, search, asker }) => {
      const asked = parseQuery(collection, search);
      const format = formatOf(request);
      if (format !== undefined) {
        requireWhole(search);
        return exportReply(collection, store, asker, asked, format, request);
      }
      const key = await store.secret();
      const after = positionOf(key, collection, asked);
      const { records: shown, more } = await store.page(collection, { ...asked, after }, asker);
      const last = more ? shown.at(-1) : undefined;
      const next = last === undefined ? null : cursorAfter(key, collection, asked, last);
      const encode = asked.fields === undefined ? shape.encode : shape.encodeOnly(asked.fields);
      const total = asked.count ? `,"total":${await store.total(collection, asked.filters, asker)}` : '';
      const body = `{"data":[${shown.map(encode).join(',')}],"next_cursor":${JSON.stringify(next)}${total}}`;
      const link = next === null ? {} : { Link: `<${path}?${withCursor(search, next)}>; rel="next"` };
      return taggedJson(request, body, { Vary: 'Accept, Accept-Encoding', ...link });
    },
  };
}

/** A stream is all of the list. */
function requireWhole(search: string): void {
  for (const [name] of parametersOf(search)) {
    if (['limit', 'cursor', 'count'].includes(name))
      throw invalidParameter(name, 'goes with a page of JSON, and not with a whole list');
  }
}

function withCursor(search: string, cursor: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of parametersOf(search)) if (name !== 'cursor') parameters.append(name, value);
  parameters.set('cursor', cursor);
  return parameters.toString();
}
