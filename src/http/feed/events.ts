/** The live change feed: server-sent events (HTML standard). */
import Type from 'typebox';
import { Failure } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { readFailures } from '../route/operation.ts';
import type { Route } from '../route/route.ts';
import { changeNumber, feedQueries, readFeedQuery, requireCollection } from './feed-query.ts';
import type { LiveFeed } from './live-feed.ts';

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-store',
  // Without it, nginx buffers events until it has a full page.
  'X-Accel-Buffering': 'no',
};

const ticket = {
  name: 'ticket',
  description:
    'In place of a key, for clients that cannot send one: from POST /api/v2/events/ticket, for one connection.',
  schema: Type.String(),
};

export function eventsRoute(collections: readonly Collection[], feed: LiveFeed): Route {
  const { after, collection, where } = feedQueries(collections);
  const [{ singular } = { singular: 'record' }] = collections;
  const example = `id: 41\nevent: ${singular}.created\ndata: {"seq":41,"type":"${singular}.created","at":"...","record":{}}\n\n`;
  return {
    method: 'GET',
    sight: 'records',
    path: '/api/v2/events',
    collection: 'by query',
    takesTicket: true,
    operation: {
      id: 'streamChangesV2',
      tag: 'v2 changes',
      summary: 'Stream changes as they are committed (server-sent events)',
      problems: true,
      queries: [
        { ...after, description: 'Changes after this one; if absent, from now on.' },
        collection,
        where,
        ticket,
      ],
      headers: [
        {
          name: 'Last-Event-ID',
          description: 'The last id that you received; takes precedence over after.',
          schema: Type.String({ pattern: '^[0-9]+$', examples: ['41'] }),
        },
      ],
      answers: [
        {
          status: 200,
          description:
            'Changes, with their number as id and their type as event, and every 15 seconds a comment with the position as id. The stream does not end: use curl -N or EventSource.',
          content: { 'text/event-stream': { schema: Type.String(), example } },
        },
      ],
      failures: [...readFailures],
    },
    handle: async (call) => {
      const { request } = call;
      const query = readFeedQuery(collections, call, ['after', 'collection', 'where', 'ticket']);
      requireCollection(call, query.selection);
      const lastEventId = request.header('last-event-id');
      const position = lastEventId === null ? query.after : changeNumber(lastEventId);
      if (lastEventId !== null && position === undefined) {
        throw new Failure('invalid_query', {
          detail: `Invalid Last-Event-ID: expected the number of a change, got ${JSON.stringify(lastEventId)}.`,
        });
      }
      return {
        status: 200,
        headers,
        body: await feed.listen(position, query.selection, call.client, () => call.stillMay()),
        size: undefined,
        shared: true,
      };
    },
  };
}
