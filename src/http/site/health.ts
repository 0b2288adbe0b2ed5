/** The probes for operators' tools: liveness of the process, and readiness of its database. */
import Type from 'typebox';
import { Failure } from '../../domain/errors.ts';
import type { Store } from '../../domain/store/store.ts';
import { jsonContent, type Operation } from '../route/operation.ts';
import { failure, json } from '../route/reply.ts';
import type { Route } from '../route/route.ts';

const schema = Type.Object({ status: Type.String() });
const noStore = { 'Cache-Control': 'no-store' };
const stopping = 'The server is stopping: send requests to another instance.';

function operation(id: string, summary: string, status: string, failures: Operation['failures']): Operation {
  return {
    id,
    tag: 'service',
    summary,
    answers: [{ status: 200, description: `The status is ${status}.`, content: jsonContent(schema, { status }) }],
    failures,
  };
}

export type Health = {
  isStopping(): boolean;
  /** Throws if a part other than the database is not ready to serve. */
  check(): void;
};

export function healthRoutes(store: Store, { isStopping, check }: Health): Route[] {
  return [
    {
      method: 'GET',
      sight: 'open',
      path: '/healthz',
      access: 'always',
      operation: operation('getHealth', 'Check that the process is alive', 'ok', []),
      handle: () => json(200, '{"status":"ok"}', noStore),
    },
    {
      method: 'GET',
      sight: 'open',
      path: '/readyz',
      access: 'always',
      operation: operation('getReadiness', 'Check that the database answers', 'ready', ['not_ready']),
      handle: async () => {
        // Expected, so not thrown: one logged error per probe would hide the others.
        if (isStopping()) return failure(new Failure('not_ready', { detail: stopping }));
        try {
          check();
          await store.admin.ping();
        } catch (cause) {
          if (cause instanceof Failure) throw cause;
          throw new Failure('not_ready', { cause });
        }
        return json(200, '{"status":"ready"}', noStore);
      },
    },
  ];
}
