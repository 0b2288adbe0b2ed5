/** The secret of the current epoch. */
import type { Soon } from '../../../domain/soon.ts';
import type { Ask } from '../connect/pool.ts';

/** How long the secret is cached. Cursors of an epoch are accepted this long after another instance has begun the next. */
const secretMs = 1000;

export class Secret {
  #known: { readonly value: string; readonly readAt: number } | undefined;

  constructor(readonly ask: Ask) {}

  get(): Soon<string> {
    const now = performance.now();
    if (this.#known !== undefined && now - this.#known.readAt < secretMs) return this.#known.value;
    return this.#read(now);
  }

  /** Call when a new epoch begins: it has a new secret. */
  forget(): void {
    this.#known = undefined;
  }

  async #read(now: number): Promise<string> {
    const [row] = await this.ask((sql) => sql`select value from settings where name = 'secret'`.values());
    this.#known = { value: String(row?.[0] ?? ''), readAt: now };
    return this.#known.value;
  }
}
