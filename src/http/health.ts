/** What an operator's tools ask: is the process alive, and does its database answer. */
import Type from 'typebox';
import { Failure } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import { json } from './reply.ts';
import { jsonContent, type Operation, type Route } from './route.ts';

const schema = Type.Object({ status: Type.String() });
const fresh = { 'Cache-Control': 'no-store' };

function operation(id: string, summary: string, status: string, failures: Operation['failures']): Operation {
  return {
    id,
    tag: 'service',
    summary,
    answers: [{ status: 200, description: 'Yes.', content: jsonContent(schema, { status }) }],
    failures,
  };
}

export function healthRoutes(store: Store): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'always',
      operation: operation('getHealth', 'Is the process alive?', 'ok', []),
      handle: () => json(200, '{"status":"ok"}', fresh),
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'always',
      operation: operation('getReadiness', 'Does the database answer?', 'ready', ['not_ready']),
      handle: async () => {
        try {
          await store.ping();
        } catch (cause) {
          if (cause instanceof Failure) throw cause;
          throw new Failure('not_ready', undefined, { cause, headers: { 'Retry-After': '1' } });
        }
        return json(200, '{"status":"ready"}', fresh);
      },
    },
  ];
}
