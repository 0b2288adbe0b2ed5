/** Bounds the requests in flight and the bytes they hold. Each client gets at most its share. */
import { Failure } from '../../domain/errors.ts';
import { Shares } from '../../domain/shares.ts';
import type { Load } from '../../wire/handlers.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Context } from '../route/context.ts';

/** Bytes of bodies and answers; beyond this no request is accepted. */
const maxHeld = 512 * 1024 * 1024;

/** The body of any other method is not read. */
const readsBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export class InFlight {
  readonly #slots: Shares<Incoming>;

  constructor(
    maxRequests: number,
    readonly load: Load,
    clientOf: (request: Incoming) => string,
  ) {
    this.#slots = new Shares(maxRequests, clientOf);
  }

  get count(): number {
    return this.#slots.used;
  }

  /** Throws `overloaded`. */
  requireRoom(request: Incoming): void {
    if (request.peer.overLimit || this.load.held >= maxHeld || !this.#slots.hasRoom(request))
      throw new Failure('overloaded');
  }

  /** A request counts once its body has arrived, so that clients that send slowly take no slot. */
  enter(request: Incoming, context: Context): void {
    const { body, method } = request;
    if (body.done || !readsBody.has(method)) context.slot = this.#slots.take(request);
    else
      body.onArrived = () => {
        if (!this.#slots.hasRoom(request)) return new Failure('overloaded');
        context.slot = this.#slots.take(request);
        return undefined;
      };
  }

  leave({ body }: Incoming, context: Context): void {
    // Requests without a body share one Body.
    if (body.onArrived !== undefined) body.onArrived = undefined;
    if (context.slot !== undefined) this.#slots.giveBack(context.slot);
  }
}
