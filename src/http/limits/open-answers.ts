/** The answers of an app that are not complete. Before another app takes over, they end. */
import type { Bytes } from '../../domain/bytes.ts';

/** How often the end of all answers is looked for, in milliseconds. */
const lookMs = 2;

export class OpenAnswers {
  #unanswered = 0;
  /** Ends each answer that is being sent. */
  readonly #sending = new Set<() => void>();

  enter(): void {
    this.#unanswered++;
  }

  leave(): void {
    this.#unanswered--;
  }

  /** Not counted while `run` runs: a request that itself waits for all others. */
  async besides<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#unanswered--;
    try {
      return await run();
    } finally {
      this.#unanswered++;
    }
  }

  /** Counts a long answer until its last part is taken. */
  sending(parts: AsyncIterator<Bytes>): AsyncIterator<Bytes> {
    let isCut = false;
    const cut = () => {
      isCut = true;
      parts.return?.();
    };
    this.#sending.add(cut);
    const sending = this.#sending;
    return {
      async next() {
        // Without a last chunk, no client takes it for whole.
        if (isCut) throw new Error('the answer was cut: other declarations are served');
        try {
          const part = await parts.next();
          if (part.done) sending.delete(cut);
          return part;
        } catch (error) {
          sending.delete(cut);
          throw error;
        }
      },
      async return() {
        sending.delete(cut);
        await parts.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  /**
   * Waits for all answers. After `withinMs` those that are being sent are cut, as when a server stops. Returns how many requests have no
   * answer yet; if there are some, nothing is cut.
   */
  async end(withinMs: number): Promise<number> {
    const deadline = performance.now() + withinMs;
    while ((this.#unanswered > 0 || this.#sending.size > 0) && performance.now() < deadline) await Bun.sleep(lookMs);
    if (this.#unanswered > 0) return this.#unanswered;
    for (const cut of this.#sending) cut();
    this.#sending.clear();
    return 0;
  }
}
