/** The pulled change feed: every committed change, in order, with an increasing number. */
import Type from 'typebox';
import type { Caller } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import type { Change } from '../../domain/feed/change.ts';
import type { Feed } from '../../domain/feed/feed.ts';
import { resyncPoint } from '../../domain/feed/feed-history.ts';
import {
  invalidParameter as invalid,
  parametersOf,
  repeatedParameter,
  unknownParameter,
} from '../../domain/input/parameters.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { exactJson } from '../../domain/record/json-schema.ts';
import { recordedMembers } from '../../domain/record/record.ts';
import { exactInteger } from '../../exact/integer.ts';
import { ifNoneMatch } from '../route/etag.ts';
import { jsonContent, notModified, readFailures } from '../route/operation.ts';
import { jsonWithEtag } from '../route/reply-with-etag.ts';
import type { Route } from '../route/route.ts';
import { int64, oneOf, refTo } from '../route/schemas.ts';

const limits = { max: 1000, default: 100 };

/** The JSON of a change, in both feeds. */
export function encodeChange({
  changeNumber,
  type,
  at,
  by,
  transaction,
  collection: { record: shape },
  singular,
  record,
  before,
}: Change): string {
  const caller = by === undefined ? 'null' : JSON.stringify(by);
  const whole =
    transaction === undefined ? '' : `"transaction":{"first":${transaction.first},"size":${transaction.size}},`;
  const changed = before === undefined ? '' : `,"before":{${recordedMembers(before)}}`;
  return `{"seq":${changeNumber},"type":"${singular}.${type}","at":"${at}","by":${caller},${whole}"record":${shape.encodeRecorded(record)}${changed}}`;
}

/** The query parameters of both feeds. */
export function feedQueries(collections: readonly Collection[]) {
  const names = collections.map(({ name }) => name);
  return {
    after: {
      name: 'after',
      description: 'Changes after this one; 0 for all that are retained.',
      schema: int64({ minimum: 0 }),
    },
    collection: { name: 'collection', description: 'Only changes of this collection.', schema: oneOf(names) },
  };
}

/**
 * Undefined if the text is not a 64-bit number. A number that a double cannot hold is capped: it is ahead of every history
 * either way.
 */
export function changeNumber(text: string): number | undefined {
  if (!/^\d+$/.test(text) || typeof exactInteger(text) !== 'bigint') return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

export function readFeedQuery(collections: readonly Collection[], search: string, known: readonly string[]) {
  const given = new Map<string, string>();
  for (const [name, value] of parametersOf(search)) {
    if (!known.includes(name)) throw unknownParameter(name, known);
    if (given.has(name)) throw repeatedParameter(name);
    given.set(name, value);
  }
  const whole = (name: string) => {
    const text = given.get(name);
    if (text === undefined) return undefined;
    const number = changeNumber(text);
    if (number === undefined) throw invalid(name, 'a whole number', text);
    return number;
  };
  const limit = whole('limit') ?? limits.default;
  if (limit < 1) throw invalid('limit', `a whole number from 1 to ${limits.max}`, String(limit));
  const name = given.get('collection');
  const collection = collections.find((one) => one.name === name);
  if (name !== undefined && collection === undefined) {
    throw invalid('collection', `one of ${collections.map((one) => one.name).join(', ')}`, name);
  }
  return { after: whole('after'), limit: Math.min(limit, limits.max), collection };
}

export function changesRoute(collections: readonly Collection[], feed: Feed): Route {
  const queries = feedQueries(collections);
  const at = '2026-01-01T00:00:00.000Z';
  const examples = collections.slice(0, 1).flatMap((collection) => {
    if (collection.example === undefined) return [];
    const json = collection.encode(collection.example);
    const record = { recordId: 1, version: 1, createdAt: at, updatedAt: at, json };
    const { singular } = collection;
    return exactJson(encodeChange({ changeNumber: 1, type: 'created', at, by: 'shop', collection, singular, record }));
  });

  return {
    method: 'GET',
    path: '/api/v2/changes',
    collection: 'by query',
    operation: {
      id: 'listChangesV2',
      tag: 'v2 changes',
      summary: 'List changes in the order of their commits',
      problems: true,
      queries: [
        queries.after,
        {
          name: 'limit',
          description:
            'At most this many changes; a value above 1000 counts as 1000. The page ends before a transaction that does not fit.',
          schema: Type.Integer({ format: 'int64', minimum: 1, default: limits.default }),
        },
        queries.collection,
      ],
      headers: [ifNoneMatch],
      answers: [
        {
          status: 200,
          description: 'Changes; continue with after=last, which is how far the server has looked.',
          headers: ['ETag', 'Vary', 'Content-Encoding'],
          content: jsonContent(refTo('ChangePage'), { data: examples, last: 1 }),
        },
        notModified,
      ],
      failures: ['history_trimmed', 'precondition_failed', 'timed_out', ...readFailures],
    },
    handle: async ({ request, search, caller, requester }) => {
      const { after = 0, limit, collection } = readFeedQuery(collections, search, ['after', 'limit', 'collection']);
      requireCollection(caller, collection);
      const read = await feed.changes(after, limit, collection, undefined, requester);
      const { changes, history, to, isPartial } = read;
      const resync = resyncPoint(history, after);
      if (resync !== undefined) {
        const why =
          after < history.trimmed
            ? `History starts behind change ${history.trimmed}`
            : `Change ${received(search)} is not of this history, as after a restore`;
        throw new Failure('history_trimmed', {
          detail: `${why}: read the lists again, then continue with after=${resync}.`,
        });
      }
      // `last` is not the last of these changes: a follower of a quiet collection would fall behind the start of the history.
      const body = `{"data":[${changes.map(encodeChange).join(',')}],"last":${to}${isPartial ? ',"partial":true' : ''}}`;
      return jsonWithEtag(request, body, { Vary: 'Accept-Encoding' });
    },
  };
}

/** The digits of `after` as received, because a number above 2^53 would lose some. */
function received(search: string): string {
  return parametersOf(search).find(([name]) => name === 'after')?.[1] ?? '0';
}

/** Throws `forbidden` if the caller is limited to some collections and does not name one of them. */
export function requireCollection({ collections }: Caller, asked: Collection | undefined): void {
  if (collections === undefined || (asked !== undefined && collections.includes(asked.name))) return;
  throw new Failure('forbidden', {
    detail: `This key is limited to some collections: add collection= with one of ${collections.join(', ')}.`,
  });
}
