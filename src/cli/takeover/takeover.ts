/**
 * A running server takes over other declarations: as a start with another file does, but listeners and connections stay. Threads hold new
 * requests and finish those in flight; then the database is migrated in one commit, and all threads exchange what they serve with, before any of them
 * serves a request again. So no answer mixes two declarations. Until the commit everything can still go on as before.
 */
import { declarationsOf } from '../../declarations/plan.ts';
import type { Permission } from '../../declarations/refusal.ts';
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { Failure } from '../../domain/errors.ts';
import type { Declarations } from '../../domain/record/declaration.ts';
import type { Sharing } from '../../domain/store/admin.ts';
import type { App } from '../../http/app.ts';
import type { OpenedStore } from '../../storage/open.ts';
import type { SuccessionOptions } from '../../storage/succession.ts';
import type { Declared, Generation } from './generation.ts';

/** How long requests are waited for, in milliseconds, while new ones are held. */
export const finishMs = 5_000;

/** The other threads that serve. */
export type OtherThreads = {
  /** How many requests have not ended within the time. */
  finish(withinMs: number): Promise<number>;
  retire(): Promise<void>;
  /** Resolves when all of them can serve. */
  adopt(next: Next, sharing: Sharing): Promise<void>;
  release(): Promise<void>;
};

/** What threads need of the next declarations; it can be posted. */
export type Next = { readonly declarations: Declarations; readonly rules: AccessDeclaration | undefined };

export type TakeoverParts = {
  readonly own: Generation<OpenedStore>;
  /** Undefined if one thread serves. */
  others(): OtherThreads | undefined;
  makeApp(declared: Declared, store: OpenedStore): App;
  /** Called with each step, when all are done. */
  onStep(text: string): void;
  /** The database has the next declarations, and this process cannot serve them: it must end. */
  onLost(error: unknown): void;
};

export type Change = Pick<SuccessionOptions, 'beforeCommit' | 'fileTag'> & {
  readonly permission: Permission;
};

export class Takeover {
  #declared: Declared;
  #current: Promise<unknown> = Promise.resolve();

  constructor(
    declared: Declared,
    readonly parts: TakeoverParts,
  ) {
    this.#declared = declared;
  }

  get declared(): Declared {
    return this.#declared;
  }

  get store(): OpenedStore {
    return this.parts.own.store;
  }

  /** Runs alone: nothing is exchanged meanwhile by another call. */
  alone<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#current.then(run);
    this.#current = result.catch(() => {});
    return result;
  }

  /** Resolves when no takeover runs. */
  get settled(): Promise<unknown> {
    return this.#current;
  }

  /** Call it within `alone`. Rejects with a StartError or a Failure; then everything goes on as before. */
  async exchange(next: Declared, { permission, ...change }: Change): Promise<void> {
    const { own, onStep } = this.parts;
    const others = this.parts.others();
    let open: () => OpenedStore;
    const steps: string[] = [];
    try {
      const unfinished = await Promise.all([own.finish(finishMs), others?.finish(finishMs) ?? 0]);
      const count = unfinished.reduce((sum, one) => sum + one, 0);
      if (count > 0) throw unfinishedFailure(count);
      open = await own.store.succession.migrate(next.collections, {
        ...{ ...permission, ...change },
        onStep: (text) => steps.push(text),
      });
    } catch (error) {
      await Promise.all([own.release(), others?.release()]);
      throw error;
    }
    for (const text of steps) onStep(text);
    try {
      await others?.retire();
      await own.retire();
      await this.#adopt(next, open(), others);
    } catch (error) {
      this.parts.onLost(error);
      throw error;
    }
    this.#declared = next;
    await Promise.all([own.release(), others?.release()]);
  }

  async #adopt(next: Declared, store: OpenedStore, others: OtherThreads | undefined): Promise<void> {
    await store.admin.ready;
    const app = this.parts.makeApp(next, store);
    await app.ready;
    const { sharing } = store.admin;
    if (others !== undefined && sharing !== undefined)
      await others.adopt({ declarations: declarationsOf(next.collections), rules: next.rules }, sharing);
    this.parts.own.adopt(app, store);
  }
}

function unfinishedFailure(count: number): Failure {
  return new Failure('overloaded', {
    detail: `${count === 1 ? 'A request is' : `${count} requests are`} still in flight after ${finishMs / 1000} seconds, and must end before other declarations are served: nothing was changed; retry when there are none that take so long.`,
    retryAfter: 5,
  });
}
