/** Pages of a collection, filtered and sorted, with a cursor to the next page; and its export. */
import Type from 'typebox';
import { everything, seenIn, type View } from '../../domain/access/view.ts';
import type { Bytes } from '../../domain/bytes.ts';
import { Failure } from '../../domain/errors.ts';
import { parametersOf } from '../../domain/input/parameters.ts';
import { parseQuery, type Query } from '../../domain/input/query.ts';
import { lazy } from '../../domain/lazy.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import { type Page, positionIn } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';
import { indexToDeclare } from '../../domain/where/index-advice.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import { ifNoneMatch } from '../route/etag.ts';
import { jsonContent, notModified, type Operation, readFailures } from '../route/operation.ts';
import { json } from '../route/reply.ts';
import { jsonWithEtag } from '../route/reply-with-etag.ts';
import type { Call, Route } from '../route/route.ts';
import { refTo, schemaNames } from '../route/schemas.ts';
import { viewFor } from '../route/sight.ts';
import { cursorAfter, positionOf } from './cursor.ts';
import { type Expanded, type Expander, withMore } from './expand.ts';
import { exportFormatOf, exportReply, formatOf } from './export.ts';
import {
  aboutFilters,
  fieldsParameter,
  filterParameters,
  pageParameters,
  sortParameter,
  whereParameter,
} from './list-parameters.ts';
import { exampleRecord } from './operations.ts';

const encoder = new TextEncoder();
const aboutExplain =
  '`explain=true` returns the indexes that find the records, and the fields of the one to declare, instead of records; it needs the scope `admin`.';
const open = encoder.encode('{"data":[');

export function listRoutes(collection: Collection, store: Store, expander: Expander): Route[] {
  const { name, pluralName } = collection;
  const all = everything(collection);
  const path = `/api/v2/${name}`;

  function pageReply(request: Incoming, search: string, next: string | null, body: string | Bytes): Soon<Reply> {
    const link = next === null ? {} : { Link: `<${path}?${withCursor(search, next)}>; rel="next"` };
    return jsonWithEtag(request, body, { Vary: 'Accept, Accept-Encoding', ...link });
  }

  const pageOperation = lazy((): Operation => {
    const example = exampleRecord(collection);
    return {
      id: `list${pluralName}V2`,
      tag: `v2 ${name}`,
      summary: `List ${name}, page by page`,
      // As a declared parameter it would make every field of the answer optional in generated clients.
      description: `\`fields=id,name\` returns only these fields; such records do not match the schema. ${aboutExplain} ${aboutFilters(collection)}`,
      problems: true,
      queries: [
        ...pageParameters,
        sortParameter(collection),
        ...(expander.parameter === undefined ? [] : [expander.parameter]),
        whereParameter(collection),
        ...filterParameters(collection),
      ],
      headers: [ifNoneMatch],
      answers: [
        {
          status: 200,
          description: `A page of ${name}; the Link header has the next page.`,
          headers: ['ETag', 'Link', 'Vary', 'Content-Encoding'],
          content: jsonContent(refTo(schemaNames(collection).page), {
            data: example === undefined ? [] : [example],
            next_cursor: null,
          }),
        },
        notModified,
      ],
      failures: ['invalid_cursor', 'precondition_failed', 'timed_out', ...readFailures],
    };
  });
  const page: Route = {
    method: 'GET',
    sight: 'records',
    path,
    collection: name,
    adminParameter: 'explain',
    get operation() {
      return pageOperation();
    },
    handle: (call) => {
      const { request, search } = call;
      const view = viewFor(call, all);
      const query = parseQuery(seenIn(view), search, expander.targetsOf(call));
      if (query.explain) return explained(query);
      const format = formatOf(request);
      if (format !== undefined) {
        requireWhole(search);
        return exportReply(view, store.reads, call.requester, query, format, request);
      }
      return soon(store.admin.secret(), (secret) => {
        const wanted = { ...query, after: positionOf(secret, view, query) };
        const isWhole = query.fields === undefined && query.expand === undefined && !query.count;
        if (!isWhole) return searchedPage(call, view, wanted, secret);
        return soon(store.reads.page(view, wanted, call.requester), ({ bytes, last, more }) => {
          const next = more ? cursorAfter(secret, view, query, last) : null;
          const end = encoder.encode(`],"next_cursor":${JSON.stringify(next)}}`);
          return pageReply(request, search, next, Buffer.concat([open, bytes, end]));
        });
      });
    },
  };

  /** The indexes that find the records, and the one to declare if there is none. */
  async function explained(query: Query): Promise<Reply> {
    const { where, sort } = query;
    const indexes = await store.reads.explain(all, { ...query, after: undefined });
    const missing = indexes.length === 0 ? indexToDeclare(collection, where, sort) : undefined;
    return json(200, JSON.stringify({ indexes, declare: missing ?? null }));
  }

  /** A page with some fields of its records, with what they refer to, or with the total. */
  async function searchedPage(call: Call, view: View, query: Query & Page, secret: string): Promise<Reply> {
    const { request, search, requester } = call;
    const { record: shape } = seenIn(view);
    const { records, more } = await store.reads.records(view, query, requester);
    const encode = query.fields === undefined ? shape.encode : shape.encodeOnly(query.fields);
    const total = query.count ? `,"total":${await store.reads.total(view, query.where, requester)}` : '';
    const data = texts(records, encode, await expander.expand(query.expand, records, call));
    const last = more || data.length < records.length ? records[data.length - 1] : undefined;
    const next = last === undefined ? null : cursorAfter(secret, view, query, positionIn(query, last));
    return pageReply(
      request,
      search,
      next,
      `{"data":[${data.join(',')}],"next_cursor":${JSON.stringify(next)}${total}}`,
    );
  }

  const wholeOperation = lazy(
    (): Operation => ({
      id: `export${pluralName}V2`,
      tag: `v2 ${name}`,
      summary: `Export all matching ${name} as CSV`,
      // As a second media type it would make the answer a union in generated clients.
      description: `With \`Accept: application/x-ndjson\`, one JSON object per line. ${aboutFilters(collection)}`,
      problems: true,
      queries: [
        sortParameter(collection),
        fieldsParameter(collection),
        whereParameter(collection),
        ...filterParameters(collection),
      ],
      answers: [
        {
          status: 200,
          description: 'CSV (RFC 4180) with the field names in the first line.',
          headers: ['Vary', 'Content-Encoding'],
          content: { 'text/csv': { schema: Type.String() } },
        },
      ],
      failures: ['timed_out', ...readFailures],
    }),
  );
  const whole: Route = {
    method: 'GET',
    sight: 'records',
    path: `${path}/export`,
    collection: name,
    get operation() {
      return wholeOperation();
    },
    handle: (call) => {
      const { request, search, requester } = call;
      const view = viewFor(call, all);
      const query = parseQuery(seenIn(view), search, expander.targetsOf(call));
      requireWhole(search);
      return exportReply(view, store.reads, requester, query, exportFormatOf(request), request);
    },
  };
  return [page, whole];
}

/** In characters. Records with expanded references can be large: a page ends before this limit, but has at least one record. */
const maxLength = 4 * 1024 * 1024;

function texts(records: readonly Stored[], encode: (one: Stored) => string, expanded: Expanded): string[] {
  const data: string[] = [];
  let length = 0;
  for (const one of records) {
    const more = expanded(one);
    if (data.length > 0 && (more === undefined || length + more.length > maxLength)) break;
    const text = withMore(encode(one), more ?? '');
    length += text.length;
    data.push(text);
  }
  return data;
}

/** An export is the whole list. Throws `invalid_query` for the parameters of pages. */
function requireWhole(search: string): void {
  for (const [name] of parametersOf(search)) {
    if (['limit', 'cursor', 'count', 'expand', 'explain'].includes(name))
      throw new Failure('invalid_query', {
        detail: `The query parameter ${name} is for pages of JSON: leave it out of an export.`,
      });
  }
}

/** Matches parameters without escapes. */
const plainSearch = /^(?:[\w*.-]+=[\w*.-]*(?:&(?!$)|$))*$/;

function withCursor(search: string, cursor: string): string {
  if (plainSearch.test(search)) {
    const others = search.split('&').filter((part) => part !== '' && !part.startsWith('cursor='));
    return [...others, `cursor=${cursor}`].join('&');
  }
  const parameters = new URLSearchParams();
  for (const [name, value] of parametersOf(search)) if (name !== 'cursor') parameters.append(name, value);
  parameters.set('cursor', cursor);
  return parameters.toString();
}
