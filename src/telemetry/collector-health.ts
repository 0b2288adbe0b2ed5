/** Reports a collector that takes nothing once, and once more when it does again. */
import type { Log } from '../http/observe/log-entry.ts';
import type { Signal } from './settings.ts';

export class CollectorHealth {
  readonly #failing = new Set<Signal>();
  #lost = 0;
  #isPartly = false;

  constructor(readonly log: Log) {}

  failed(signal: Signal, url: string, why: string): void {
    const isFirst = this.#failing.size === 0;
    this.#failing.add(signal);
    if (!isFirst) return;
    this.#say(
      'warn',
      `The OpenTelemetry collector takes no ${signal} at ${addressOf(url)} (${why}). Some wait to be sent again; further ones are dropped and counted. Requests are served as before.`,
    );
  }

  lost(count: number): void {
    this.#lost += count;
  }

  succeeded(signal: Signal): void {
    if (!this.#failing.delete(signal) || this.#failing.size > 0) return;
    this.#say('info', `The OpenTelemetry collector takes everything again; ${this.#lost} items were lost.`);
    this.#lost = 0;
  }

  /** The collector has taken a request, but not all that was in it. */
  rejected(signal: Signal, count: number, why: string): void {
    if (this.#isPartly) return;
    this.#isPartly = true;
    this.#say('warn', `The OpenTelemetry collector rejects some ${signal}, ${count} at first (${why.slice(0, 200)}).`);
  }

  #say(level: 'info' | 'warn', message: string): void {
    this.log({ level, event: 'telemetry', message });
  }
}

/** Without the query, which may have a secret. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
