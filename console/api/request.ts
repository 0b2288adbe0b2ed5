/** One request to the API, with the key of this tab. */
import { keyOfTab } from './key.ts';
import { noAnswer, problemOf } from './problem.ts';

export type Request = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob;
  readonly signal?: AbortSignal;
  /** It is sent even if the page is closed right after. */
  readonly isLast?: boolean;
};

/** Resolves with the response of success. Throws a `Problem`, or the reason of the signal. */
export async function open(request: Request): Promise<Response> {
  const { method = 'GET', path, headers, body, signal, isLast = false } = request;
  const key = keyOfTab.get();
  const response = await fetch(path, {
    method,
    headers: { ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...headers },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    // The page must not show what it had before a change.
    cache: 'no-store',
    credentials: 'omit',
    keepalive: isLast,
  }).catch((error) => {
    if (signal?.aborted === true) throw error;
    throw noAnswer();
  });
  if (response.ok) return response;
  const problem = problemOf(response.status, await response.text().catch(() => ''));
  if (problem.code === 'unauthorized') for (const notify of unauthorized) notify();
  throw problem;
}

/** The same, for the text of the answer. */
export async function send(request: Request): Promise<string> {
  const response = await open(request);
  return response.text().catch((error) => {
    if (request.signal?.aborted === true) throw error;
    throw noAnswer();
  });
}

const unauthorized = new Set<() => void>();

/** Called when the server refuses the key, or the lack of one. */
export function onUnauthorized(notify: () => void): void {
  unauthorized.add(notify);
}
