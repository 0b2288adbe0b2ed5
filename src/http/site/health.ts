/** What an operator's tools ask: is the process alive, and does its database answer. */
import Type from 'typebox';
import { Failure } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import { jsonContent, type Operation } from '../route/operation.ts';
import { failure, json } from '../route/reply.ts';
import type { Route } from '../route/route.ts';

const schema = Type.Object({ status: Type.String() });
const fresh = { 'Cache-Control': 'no-store' };
const stopping = 'The server is stopping: send requests to another instance.';

function operation(id: string, summary: string, status: string, failures: Operation['failures']): Operation {
  return {
    id,
    tag: 'service',
    summary,
    answers: [{ status: 200, description: 'Yes.', content: jsonContent(schema, { status }) }],
    failures,
  };
}

export type Health = {
  isStopping(): boolean;
  /** Throws where something beside the database is missing to serve. */
  check(): void;
};

export function healthRoutes(store: Store, { isStopping, check }: Health): Route[] {
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
        // Expected, and so not thrown: an error in the log for each check would hide the others.
        if (isStopping()) return failure(new Failure('not_ready', { detail: stopping }));
        try {
          check();
          await store.ping();
        } catch (cause) {
          if (cause instanceof Failure) throw cause;
          throw new Failure('not_ready', { cause });
        }
        return json(200, '{"status":"ready"}', fresh);
      },
    },
  ];
}
