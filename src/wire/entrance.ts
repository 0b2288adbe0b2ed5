/**
 * Where requests enter: gives each to the handlers in use. To exchange these, it holds new requests for a while. Connections call the members of
 * this object, so that the exchange costs a request nothing.
 */
import type { Reply } from './answer/reply.ts';
import type { Handlers, Holdable, Late } from './handlers.ts';
import type { Incoming } from './request/incoming.ts';

type Held = {
  readonly request: Incoming;
  readonly send: (reply: Reply) => void;
  /** Of the handlers that got the request. */
  late: Late | undefined;
  /** Its time limit was exceeded while it was held. */
  isOver: boolean;
};

export class Entrance implements Handlers {
  answer: Handlers['answer'];
  refuse: Handlers['refuse'];
  handshakeFailed: Handlers['handshakeFailed'];
  report: Handlers['report'];
  #held: Held[] | undefined;

  constructor(public handlers: Holdable) {
    ({
      answer: this.answer,
      refuse: this.refuse,
      handshakeFailed: this.handshakeFailed,
      report: this.report,
    } = handlers);
  }

  /** Holds the requests that arrive from now on, except those that `passes` lets through. */
  hold(passes: (request: Incoming) => boolean): void {
    this.#held ??= [];
    const held = this.#held;
    const { answer } = this.handlers;
    this.answer = (request, send) => {
      if (passes(request)) return answer(request, send);
      const one: Held = { request, send, late: undefined, isOver: false };
      held.push(one);
      return () => {
        if (one.late !== undefined) return one.late();
        one.isOver = true;
        return this.handlers.tooLate(request);
      };
    };
  }

  /** Gives all requests to these handlers, first those that were held. */
  release(handlers: Holdable = this.handlers): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.handlers = handlers;
    ({
      answer: this.answer,
      refuse: this.refuse,
      handshakeFailed: this.handshakeFailed,
      report: this.report,
    } = handlers);
    for (const one of held) {
      const { request, send } = one;
      // Its client has the answer, or has left: nothing is done for it.
      if (one.isOver || request.signal.aborted) continue;
      const answer = this.answer(request, send);
      if (typeof answer === 'function') one.late = answer;
      else send(answer);
    }
  }
}
