/**
 * Watches the configuration file. It looks at the path again and again: editors rename another file over it, volumes are mounted anew, and no
 * notification tells of all that.
 */
import { statSync } from 'node:fs';

/** In milliseconds: how often the file is looked at, and how often a text that was not taken over is tried again. */
const lookMs = 500;
const retryMs = 30_000;

export type Outcome = 'served' | 'wait';

export class ConfigWatch {
  #seen: string;
  #nextTry = Number.POSITIVE_INFINITY;
  #isBusy = false;
  readonly #timer: Timer;

  constructor(
    readonly path: string,
    /** Called when the file may have another text. `wait`: it is not served yet, so it is called again. */
    readonly onChange: () => Promise<Outcome>,
    readonly retryEveryMs = retryMs,
  ) {
    this.#seen = signatureOf(path);
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const found = signatureOf(this.path);
    if (this.#isBusy || (found === this.#seen && performance.now() < this.#nextTry)) return;
    this.#isBusy = true;
    this.#seen = found;
    try {
      const outcome = await this.onChange();
      this.#nextTry = outcome === 'served' ? Number.POSITIVE_INFINITY : performance.now() + this.retryEveryMs;
    } finally {
      this.#isBusy = false;
    }
  }
}

/** Differs after each change; empty if there is no file. */
function signatureOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return '';
  }
}
