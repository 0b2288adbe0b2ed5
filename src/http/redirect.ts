/** Redirects plain HTTP to the same path over TLS. */
import { Failure } from '../domain/errors.ts';
import type { Reply } from '../wire/answer/reply.ts';
import type { Holdable } from '../wire/handlers.ts';
import { hostOfTarget } from '../wire/request/host.ts';
import type { Incoming } from '../wire/request/incoming.ts';
import type { Observer } from './observe/observer.ts';
import type { Context } from './route/context.ts';
import { empty, failure } from './route/reply.ts';

export type RedirectStages = {
  readonly observer: Observer;
  /** Returns the reason to refuse a request for its Host. */
  checkOrigin(request: Incoming): Failure | undefined;
  /** The port that speaks TLS. */
  port(): number;
};

/** `plain` answers input that is not a request. */
export function createRedirect({ observer, checkOrigin, port }: RedirectStages, plain: Holdable): Holdable {
  function answer(request: Incoming, context: Context): Reply {
    const refusal = checkOrigin(request);
    context.failure = refusal?.code;
    if (refusal !== undefined) return failure(refusal);
    const host = hostOfTarget(request.target) ?? request.head.fields.host;
    const path = request.target.replace(/^https?:\/\/[^/?#]*/i, '');
    if (!host || !/^(?:[/?]|$)/.test(path)) {
      return failure(
        new Failure('malformed_request', { detail: 'This port only redirects to https: send a Host and a path.' }),
      );
    }
    const name = host.replace(/:\d*$/, '');
    const place = port() === 443 ? name : `${name}:${port()}`;
    // 308 and not 301: a client must repeat a POST as a POST.
    return empty(308, { Location: `https://${place}${path.startsWith('/') ? path : `/${path}`}` });
  }
  return {
    ...plain,
    answer(request) {
      const context = observer.begin(request);
      return observer.finish(answer(request, context), context, request);
    },
  };
}
