/** Pages of a collection: filtered, sorted, and walked by a cursor. */
import Type from 'typebox';
import type { Collection } from '../../domain/collection.ts';
import { Failure } from '../../domain/errors.ts';
import { parametersOf } from '../../domain/parameters.ts';
import { parseQuery } from '../../domain/query.ts';
import type { Store } from '../../domain/store.ts';
import { ifNoneMatch } from '../route/etag.ts';
import { jsonContent, readFailures, unchanged } from '../route/operation.ts';
import type { Route } from '../route/route.ts';
import { refTo, schemaNames } from '../route/schemas.ts';
import { taggedJson } from '../route/tagged.ts';
import { cursorAfter, positionOf } from './cursor.ts';
import { exportFormatOf, exportReply, formatOf } from './export.ts';
import { fieldsParameter, filterParameters, pageParameters, sortParameter } from './list-parameters.ts';
import { exampleRecord } from './operations.ts';

export function listRoutes(collection: Collection, store: Store): Route[] {
  const { name, pluralName } = collection;
  const path = `/api/v2/${name}`;
  const shape = collection.record;

  const page: Route = {
    method: 'GET',
    path,
    collection: name,
    operation: {
      id: `list${pluralName}V2`,
      tag: `v2 ${name}`,
      summary: `A page of ${name}`,
      // Declared as a parameter it would make every field of the answer optional for every client.
      description: '`fields=id,name` shows only these fields; such rows are not what the schema says.',
      problems: true,
      queries: [...pageParameters, sortParameter(collection), ...filterParameters(collection)],
      headers: [ifNoneMatch],
      answers: [
        {
          status: 200,
          description: `A page of ${name}; Link says where the next one is.`,
          headers: ['ETag', 'Link', 'Vary', 'Content-Encoding'],
          content: jsonContent(refTo(schemaNames(collection).page), {
            data: [exampleRecord(collection)],
            next_cursor: null,
          }),
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

  const whole: Route = {
    method: 'GET',
    path: `${path}/export`,
    collection: name,
    operation: {
      id: `export${pluralName}V2`,
      tag: `v2 ${name}`,
      summary: `All ${name} that fit, as CSV`,
      // Declared as a second type it would make the answer of generated clients one or the other.
      description: 'With `Accept: application/x-ndjson`, a JSON object to a line.',
      problems: true,
      queries: [sortParameter(collection), fieldsParameter(collection), ...filterParameters(collection)],
      answers: [
        {
          status: 200,
          description: 'CSV (RFC 4180), with the names of the fields in the first line.',
          headers: ['Vary', 'Content-Encoding'],
          content: { 'text/csv': { schema: Type.String() } },
        },
      ],
      failures: ['invalid_query', 'timed_out', ...readFailures],
    },
    handle: ({ request, search, asker }) => {
      const asked = parseQuery(collection, search);
      requireWhole(search);
      return exportReply(collection, store, asker, asked, exportFormatOf(request), request);
    },
  };
  return [page, whole];
}

/** A stream is all of the list. */
function requireWhole(search: string): void {
  for (const [name] of parametersOf(search)) {
    if (['limit', 'cursor', 'count'].includes(name))
      throw new Failure('invalid_query', {
        detail: `The query parameter ${name} is for pages of JSON: leave it out of an export.`,
      });
  }
}

function withCursor(search: string, cursor: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of parametersOf(search)) if (name !== 'cursor') parameters.append(name, value);
  parameters.set('cursor', cursor);
  return parameters.toString();
}
