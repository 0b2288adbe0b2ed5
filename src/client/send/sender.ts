/** Sends requests: with the key, within a time-out, and again where that is safe. */
import { pause, requireNotAborted } from './abort.ts';
import { Attempt } from './attempt.ts';
import type { Code } from './codes.ts';
import { type Problem, ShelfError } from './failure.ts';
import { finalFailure, mayHaveHappened, mayRetry, retryAfterIn, type Safety, waitBefore } from './retry.ts';

export type ClientOptions = {
  /** The address of the server, such as `http://127.0.0.1:8000`. In a page of the same origin, the empty text. */
  readonly url: string;
  /** An API key or a JWT. */
  readonly key?: string | undefined;
  /** Milliseconds for each attempt, from the request to the end of the answer. 30,000 if absent. */
  readonly timeout?: number | undefined;
  /** How often a request is sent again at most, where that is safe. 4 if absent. */
  readonly retries?: number | undefined;
};

/** `init`: options of every fetch, for a page that must not use the browser's cache. */
export type SenderOptions = ClientOptions & {
  readonly init?: Pick<RequestInit, 'cache' | 'credentials' | 'redirect'> | undefined;
};

export type CallOptions = {
  /** Ends the call with `aborted`. `AbortSignal.timeout(ms)` bounds a call with all its attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the time-out of the client. */
  readonly timeout?: number | undefined;
};

export type CreateOptions = CallOptions & {
  /**
   * Chosen at random if absent. A create or a transaction with the same key and the same content changes nothing and returns the first
   * result, for 24 hours, so a program that was interrupted can send it again.
   */
  readonly idempotencyKey?: string;
};

export type Request = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query. */
  readonly path: string;
  readonly safety: Safety;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A page sends it even if it is closed right after. */
  readonly keepalive?: boolean;
};

/** The start of the paths of the API. */
export const api = '/api/v2';

export class Sender {
  readonly #base: string;
  #headers: Readonly<Record<string, string>> | undefined;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #init: SenderOptions['init'];
  /** As many as there were requests at the same time, at most. */
  readonly #idle: Attempt[] = [];

  /** Throws TypeError on a URL or a key that cannot be sent. */
  constructor({ url, key, timeout = 30_000, retries = 4, init }: SenderOptions) {
    const { location } = globalThis as { location?: { readonly href: string } };
    // The empty text would be the address of the page itself, whatever its path.
    const { origin, pathname } = new URL(url === '' ? '/' : url, location?.href);
    this.#base = `${origin}${pathname.replace(/\/+$/, '')}`;
    if (key !== undefined) this.use(key);
    this.#timeout = timeout;
    this.#retries = retries;
    this.#init = init;
  }

  /** Sends this key from now on. Throws TypeError if it cannot be sent. */
  use(key: string): void {
    const headers = { Authorization: `Bearer ${key}` };
    new Headers(headers);
    this.#headers = headers;
  }

  timeoutOf({ timeout }: CallOptions): number {
    return timeout ?? this.#timeout;
  }

  /** Returns the body of the answer. Rejects with ShelfError. */
  send(request: Request, options: CallOptions): Promise<string> {
    return this.receive(request, options, textOf);
  }

  /** The same, with the body as `read` gets it from the answer. */
  async receive<Body>(
    request: Request,
    options: CallOptions,
    read: (response: Response) => Promise<Body>,
  ): Promise<Body> {
    const { safety, headers } = request;
    const { signal } = options;
    const timeout = this.timeoutOf(options);
    let isUnknown = false;
    for (let retries = 0; ; retries++) {
      requireNotAborted(signal);
      const attempt = this.#idle.pop() ?? new Attempt();
      attempt.begin(timeout, signal);
      let failure: ShelfError;
      try {
        const response = await this.fetch(request, attempt.signal);
        if (response.ok) return await read(response);
        failure = failureOf(response, await response.text());
      } catch (error) {
        failure = attempt.failure(error);
      } finally {
        attempt.end();
        if (attempt.canBeUsedAgain) this.#idle.push(attempt);
      }
      if (failure.code === 'aborted') throw failure;
      isUnknown ||= mayHaveHappened(safety, failure);
      const wait = waitBefore(retries, failure.retryAfter);
      // A caller can wait longer than a call should.
      const isTooLong = wait > Math.max(timeout, 1000);
      if (retries >= this.#retries || isTooLong || !mayRetry(safety, failure))
        throw finalFailure(failure, isUnknown, headers?.['Idempotency-Key']);
      await pause(wait, signal);
    }
  }

  fetch({ method, path, safety, body, headers, keepalive }: Request, signal: AbortSignal): Promise<Response> {
    // A redirect would turn a POST into a GET.
    const init: RequestInit = { redirect: 'manual', ...this.#init, signal };
    // Each option that is set takes some microseconds in Node.
    if (method !== 'GET') init.method = method;
    if (body !== undefined) init.body = body;
    if (headers !== undefined || this.#headers !== undefined) init.headers = { ...this.#headers, ...headers };
    if (safety === 'once') sendOnce(init, body);
    if (keepalive === true) init.keepalive = true;
    return fetch(this.#base + path, init);
  }
}

const textOf = (response: Response) => response.text();

/** Two runtimes send a request again by themselves if its connection is lost. */
function sendOnce(init: RequestInit, body = ''): void {
  // Bun only does so on a connection that it had kept.
  init.keepalive = false;
  // Deno cannot repeat a stream.
  if ('Deno' in globalThis) Object.assign(init, { body: new Blob([body]).stream(), duplex: 'half' });
}

type ProblemDocument = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly {
    readonly pointer: string;
    readonly detail: string;
    readonly parameter?: string;
    readonly line?: number;
    readonly earlier_record?: number;
  }[];
};

/** The failure of an answer that is not a success. */
export function failureOf({ status, headers }: Response, text: string): ShelfError {
  const requestId = headers.get('X-Request-Id') ?? undefined;
  const common = { status, requestId, retryAfter: retryAfterIn(headers.get('Retry-After')) };
  const document = problemIn(text);
  if (document === undefined) {
    const hint = status === 0 || (status >= 300 && status < 400) ? ', a redirect: use the address it leads to' : '';
    return new ShelfError('unexpected_answer', `The answer is not one of Shelf: status ${status}${hint}.`, common);
  }
  const { type, detail, errors = [], title: _, status: __, instance: ___, ...details } = document;
  const code = type.replace(/^.*\/problems\//, '').replaceAll('-', '_') as Code;
  return new ShelfError(code, detail, { ...common, details, problems: errors.map(problemOf) });
}

function problemIn(text: string): ProblemDocument | undefined {
  try {
    const value = JSON.parse(text) as Partial<ProblemDocument> | null;
    return value?.type?.includes('/problems/') ? (value as ProblemDocument) : undefined;
  } catch {
    return undefined;
  }
}

/** A pointer is `#` for the body, or `#/` and the field, escaped twice (RFC 6901). */
function problemOf(sent: NonNullable<ProblemDocument['errors']>[number]): Problem {
  const { pointer, detail, parameter, line, earlier_record: earlierRecord } = sent;
  const escaped = pointer.slice(2);
  const field = decodeURIComponent(escaped).replaceAll('~1', '/').replaceAll('~0', '~');
  return {
    field: pointer === '#' ? undefined : field,
    detail,
    ...(parameter === undefined ? {} : { parameter }),
    ...(line === undefined ? {} : { line }),
    ...(earlierRecord === undefined ? {} : { earlierRecord }),
    ...(escaped.includes('/') ? { pointer } : {}),
  };
}
