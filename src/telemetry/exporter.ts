/** Sends one signal to its collector: one request at a time, again where that can help, and never more than a bounded amount waits. */
import type { CollectorHealth } from './collector-health.ts';
import { rejectedIn } from './partial-success.ts';
import type { Signal, Target } from './settings.ts';

/** Bytes that wait. Beyond this, new bodies are dropped. */
const maxWaiting = 4 * 1024 * 1024;
/** The first pause before a retry; it doubles each time. With six attempts, a body waits for half a minute. */
const firstPauseMs = 1000;
const maxPauseMs = 30_000;
const maxAttempts = 6;
/** A collector may not ask for more. */
const maxRetryAfterMs = 60_000;
const retried = [429, 502, 503, 504];
/** Of an answer. */
const maxAnswer = 64 * 1024;

type Body = { readonly bytes: Uint8Array; readonly count: number };
/** `again`: the same body may be sent again, not before so many milliseconds if that is known. */
type Sent = 'sent' | { readonly why: string; readonly again: boolean; readonly afterMs?: number | undefined };

export class Exporter {
  readonly #bodies: Body[] = [];
  #waiting = 0;
  #running: Promise<void> | undefined;
  /** Ends a pause. */
  #wake = Promise.withResolvers<void>();
  #isClosing = false;
  readonly #end = new AbortController();

  constructor(
    readonly signal: Signal,
    readonly target: Target,
    readonly health: CollectorHealth,
    readonly pauseMs = firstPauseMs,
  ) {}

  /** `count`: the spans, metrics or log records in it. */
  add(bytes: Uint8Array, count: number): void {
    if (this.#waiting + bytes.length > maxWaiting) {
      this.health.lost(count);
      return;
    }
    this.#waiting += bytes.length;
    this.#bodies.push({ bytes, count });
    this.#running ??= this.#run();
  }

  /** Sends what waits, each body once more, for at most so long. */
  async close(withinMs: number): Promise<void> {
    this.#isClosing = true;
    this.#wake.resolve();
    const timer = Promise.withResolvers<void>();
    const ending = setTimeout(timer.resolve, withinMs);
    await Promise.race([this.#running, timer.promise]);
    clearTimeout(ending);
    this.#end.abort();
  }

  async #run(): Promise<void> {
    for (let [body] = this.#bodies; body !== undefined; [body] = this.#bodies) {
      await this.#deliver(body);
      this.#bodies.shift();
      this.#waiting -= body.bytes.length;
    }
    this.#running = undefined;
  }

  async #deliver({ bytes, count }: Body): Promise<void> {
    let pause = this.pauseMs;
    for (let attempt = 1; ; attempt++) {
      const sent = await this.#send(bytes);
      if (sent === 'sent') return this.health.succeeded(this.signal);
      this.health.failed(this.signal, this.target.url, sent.why);
      if (!sent.again || attempt === maxAttempts || this.#end.signal.aborted) return this.health.lost(count);
      // So that many servers do not send at the same moment.
      const jittered = pause * (0.8 + Math.random() * 0.4);
      await this.#pause(Math.max(jittered, Math.min(sent.afterMs ?? 0, maxRetryAfterMs)));
      pause = Math.min(pause * 2, maxPauseMs);
      if (this.#isClosing) attempt = Math.max(attempt, maxAttempts - 1);
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isClosing) return;
    const timer = setTimeout(() => this.#wake.resolve(), ms);
    timer.unref();
    await this.#wake.promise;
    clearTimeout(timer);
    this.#wake = Promise.withResolvers();
  }

  async #send(bytes: Uint8Array): Promise<Sent> {
    const { url, headers, timeoutMs, protocol, compression } = this.target;
    const isJson = protocol === 'http/json';
    const isZipped = compression === 'gzip';
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'Content-Type': isJson ? 'application/json' : 'application/x-protobuf',
          'User-Agent': 'shelf-otlp',
          ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
        },
        body: isZipped ? Bun.gzipSync(Buffer.from(bytes)) : Buffer.from(bytes),
        signal: AbortSignal.any([this.#end.signal, AbortSignal.timeout(timeoutMs)]),
        // The headers may have a secret, and are for this address.
        redirect: 'manual',
        // A small answer can become a huge one.
        decompress: false,
      });
      const answer = await start(response);
      if (!response.ok) return refusal(response);
      const rejected = rejectedIn(answer, isJson);
      if (rejected !== undefined) this.health.rejected(this.signal, rejected.count, rejected.why);
      return 'sent';
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error), again: true };
    }
  }
}

/** The beginning of the answer. A short one is read to its end, so that the connection can be used again. */
async function start(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    length += part.length;
    // Ends the connection.
    if (length > maxAnswer) break;
  }
  return Buffer.concat(parts);
}

function refusal({ status, headers }: Response): Sent {
  const after = headers.get('Retry-After');
  return {
    why: `status ${status}`,
    again: retried.includes(status),
    afterMs: after === null ? undefined : delayOf(after),
  };
}

/** Seconds, or a date. */
function delayOf(after: string): number | undefined {
  const ms = /^\d{1,9}$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
