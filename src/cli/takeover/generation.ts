/** What one thread serves with: declared collections, their store, and the app over it. A takeover exchanges all three at once. */
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Store } from '../../domain/store/store.ts';
import type { App } from '../../http/app.ts';
import { Entrance } from '../../wire/entrance.ts';
import type { Incoming } from '../../wire/request/incoming.ts';

export type Declared = {
  readonly collections: readonly Collection[];
  /** Roles, and the rules of each collection; undefined if the file has none. */
  readonly rules: AccessDeclaration | undefined;
};

/** It asks for no declaration, and a supervisor must not take a long migration for a dead process. */
const isHealthCheck = ({ target }: Incoming) => target === '/healthz';

export class Generation<Kept extends Store> {
  readonly entrance: Entrance;
  readonly redirect: Entrance;
  #former: App | undefined;

  constructor(
    public app: App,
    public store: Kept,
    /** The port that speaks TLS. */
    readonly port: () => number,
  ) {
    this.entrance = new Entrance(app.handlers);
    this.redirect = new Entrance(app.redirect(port));
  }

  /** Holds new requests, and resolves when those in flight have ended: with how many have not within the time. */
  finish(withinMs: number): Promise<number> {
    this.entrance.hold(isHealthCheck);
    return this.app.finish(withinMs);
  }

  /** Closes the store: no request uses it. */
  async retire(): Promise<void> {
    await this.app.settle().catch(() => {});
    await this.store.admin.close();
  }

  adopt(app: App, store: Kept): void {
    this.#former = this.app;
    this.app = app;
    this.store = store;
  }

  /** Serves the requests that were held, and all others. */
  async release(): Promise<void> {
    const former = this.#former;
    this.#former = undefined;
    if (former !== undefined) this.redirect.release(this.app.redirect(this.port));
    this.entrance.release(this.app.handlers);
    await former?.close();
  }
}
