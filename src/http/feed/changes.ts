/** The pulled change feed: every committed change, in order, with an increasing number. */
import Type from 'typebox';
import { Failure } from '../../domain/errors.ts';
import type { Feed } from '../../domain/feed/feed.ts';
import { resyncPoint } from '../../domain/feed/feed-history.ts';
import type { Followed, Selection } from '../../domain/feed/selection.ts';
import { parametersOf } from '../../domain/input/parameters.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { exactJson } from '../../domain/record/json-schema.ts';
import { ifNoneMatch } from '../route/etag.ts';
import { jsonContent, notModified, readFailures } from '../route/operation.ts';
import { jsonWithEtag } from '../route/reply-with-etag.ts';
import type { Route } from '../route/route.ts';
import { refTo } from '../route/schemas.ts';
import { encodeChange } from './encode-change.ts';
import { feedQueries, limits, readFeedQuery, requireCollection } from './feed-query.ts';

export function changesRoute(collections: readonly Collection[], feed: Feed): Route {
  const { after: afterQuery, collection, where } = feedQueries(collections);
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
    sight: 'records',
    path: '/api/v2/changes',
    collection: 'by query',
    operation: {
      id: 'listChangesV2',
      tag: 'v2 changes',
      summary: 'List changes in the order of their commits',
      problems: true,
      queries: [
        afterQuery,
        {
          name: 'limit',
          description:
            'At most this many changes; a value above 1000 counts as 1000. The page ends before a transaction that does not fit.',
          schema: Type.Integer({ format: 'int64', minimum: 1, default: limits.default }),
        },
        collection,
        where,
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
    handle: async (call) => {
      const { request, search, requester } = call;
      const {
        after = 0,
        limit,
        selection,
      } = readFeedQuery(collections, call, ['after', 'limit', 'collection', 'where']);
      requireCollection(call, selection);
      const read = await feed.changes(selection, after, limit, undefined, requester);
      const resync = resyncPoint(read.history, after);
      if (resync !== undefined) {
        const why =
          after < read.history.trimmed
            ? `History starts behind change ${read.history.trimmed}`
            : `Change ${received(search)} is not of this history, as after a restore`;
        throw resyncFailure(why, resync);
      }
      const { texts, to, isPartial, more } = pageOf(read, selection);
      // `last` is not the last of these changes: a follower of a quiet collection would fall behind the start of the history.
      const rest = `${isPartial ? ',"partial":true' : ''}${more ? ',"more":true' : ''}`;
      const body = `{"data":[${texts.join(',')}],"last":${to}${rest}}`;
      return jsonWithEtag(request, body, { Vary: 'Accept-Encoding' });
    },
  };
}

/** Throws `history_trimmed` for a change that the filter cannot judge. */
function pageOf(page: Followed, { filter }: Selection) {
  if (page.unknown !== undefined)
    throw resyncFailure(
      `Change ${page.unknown.changeNumber} does not say whether its record matched: it was recorded by an earlier release, or under another declaration`,
      page.history.last,
    );
  const texts = page.found.map(({ change, shown }) => encodeChange(change, shown));
  return { ...page, texts, more: filter !== undefined && page.more };
}

function resyncFailure(why: string, after: number): Failure {
  return new Failure('history_trimmed', {
    detail: `${why}: read the lists again, then continue with after=${after}.`,
  });
}

/** The digits of `after` as received, because a number above 2^53 would lose some. */
function received(search: string): string {
  return parametersOf(search).find(([name]) => name === 'after')?.[1] ?? '0';
}
