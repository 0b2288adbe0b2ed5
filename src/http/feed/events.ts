/** The change feed, live: server-sent events, as the HTML standard has them. */
import Type from 'typebox';
import type { Collection } from '../../domain/collection.ts';
import { Failure } from '../../domain/errors.ts';
import { readFailures } from '../route/operation.ts';
import type { Route } from '../route/route.ts';
import { changeNumber, feedQueries, readFeedQuery, requireCollection } from './changes.ts';
import type { Feed } from './feed.ts';

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-store',
  // Or nginx would keep what is said until it has a page full.
  'X-Accel-Buffering': 'no',
};

const ticket = {
  name: 'ticket',
  description: 'Instead of a key, where none can be sent: got at /api/v2/events/ticket, for one connection.',
  schema: Type.String(),
};

export function eventsRoute(collections: readonly Collection[], feed: Feed, maxListeners: number): Route {
  const { after, collection } = feedQueries(collections);
  const [{ singular } = { singular: 'record' }] = collections;
  const example = `id: 41\nevent: ${singular}.created\ndata: {"seq":41,"type":"${singular}.created","at":"...","record":{}}\n\n`;
  return {
    method: 'GET',
    path: '/api/v2/events',
    collection: 'by query',
    takesTicket: true,
    operation: {
      id: 'streamChangesV2',
      tag: 'v2 changes',
      summary: 'What is changing, as it is committed (server-sent events)',
      problems: true,
      queries: [{ ...after, description: 'Changes behind this one; without it, from now on.' }, collection, ticket],
      headers: [
        {
          name: 'Last-Event-ID',
          description: 'The last change that was heard of; counts for more than after.',
          schema: Type.String({ pattern: '^[0-9]+$', examples: ['41'] }),
        },
      ],
      answers: [
        {
          status: 200,
          description:
            'Changes, with their number for id and their type for event, and a comment every 15 seconds. It has no end: follow it with curl -N or EventSource.',
          content: { 'text/event-stream': { schema: Type.String(), example } },
        },
      ],
      failures: ['invalid_query', ...readFailures],
    },
    handle: async (call) => {
      const { request, search, caller } = call;
      const asked = readFeedQuery(collections, search, ['after', 'collection', 'ticket']);
      requireCollection(caller, asked.collection);
      const heard = request.header('last-event-id');
      const place = heard === null ? asked.after : changeNumber(heard);
      if (heard !== null && place === undefined) {
        throw new Failure('invalid_query', {
          detail: `Invalid Last-Event-ID: expected the number of a change, got ${JSON.stringify(heard)}.`,
        });
      }
      if (feed.listeners >= maxListeners) {
        throw new Failure('overloaded', {
          detail: 'Too many listeners: retry shortly, or at another instance.',
          retryAfter: 5,
        });
      }
      return {
        status: 200,
        headers,
        body: await feed.listen(place, asked.collection, () => call.stillMay()),
        size: undefined,
        shared: true,
      };
    },
  };
}
