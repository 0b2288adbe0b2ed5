/** Bounds the requests in flight and the bytes they hold. Each client gets at most its share. */
import { Failure } from '../../domain/errors.ts';
import type { Client } from '../../domain/store/client.ts';
import { Shares } from '../../threads/limits/shares.ts';
import type { Load } from '../../wire/load.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { Context } from '../route/context.ts';

/** The body of any other method is not read. */
const readsBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

const tooManyConnections = 'Too many connections, or too many from this address: close some, and retry shortly.';

export class InFlight {
  readonly #slots: Shares<Incoming>;

  constructor(
    maxRequests: number,
    readonly load: Load,
    clientOf: (request: Incoming) => Client,
    shared?: SharedArrayBuffer,
  ) {
    this.#slots = new Shares(maxRequests, clientOf, shared);
  }

  get count(): number {
    return this.#slots.used;
  }

  /** Throws `overloaded`. */
  requireRoom(request: Incoming): void {
    if (request.peer.overLimit) throw new Failure('overloaded', { detail: tooManyConnections });
    if (!this.load.hasRoom(request) || !this.#slots.hasRoom(request)) throw new Failure('overloaded');
  }

  /**
   * A request counts once its body has arrived, so that clients that send slowly take no slot. One without a body has
   * passed `requireRoom` in this turn of the event loop, so that at most one per thread can be over the limit.
   */
  enter(request: Incoming, context: Context): void {
    const { body, method } = request;
    if (body.done || !readsBody.has(method)) context.slot = this.#slots.take(request);
    else
      body.onArrived = () => {
        context.slot = this.#slots.tryTake(request);
        return context.slot === undefined ? new Failure('overloaded') : undefined;
      };
  }

  leave({ body }: Incoming, context: Context): void {
    // Requests without a body share one Body.
    if (body.onArrived !== undefined) body.onArrived = undefined;
    if (context.slot !== undefined) this.#slots.giveBack(context.slot);
  }
}
