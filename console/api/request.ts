/** One request to the API. Its answer is text, so that every digit is kept: the typed methods of the client decode it. */
import { ShelfError } from '../../src/client/send/failure.ts';
import type { CallOptions, Request as Sent } from '../../src/client/send/sender.ts';
import { clientOfTab } from './client.ts';

export type Request = Omit<Sent, 'method' | 'safety'> & CallOptions & { readonly method?: Sent['method'] };

/** Resolves with the body of a success. Throws a ShelfError. */
export function send(request: Request): Promise<string> {
  return receive(request, (response) => response.text());
}

/** The same, with the body as `read` gets it from the answer. */
export async function receive<Body>(request: Request, read: (response: Response) => Promise<Body>): Promise<Body> {
  const { method = 'GET', signal, timeout, ...sent } = request;
  const safety = method === 'GET' ? 'read' : 'once';
  try {
    return await clientOfTab().receive({ ...sent, method, safety }, { signal, timeout }, read);
  } catch (error) {
    throw noticed(error);
  }
}

/** The same error; a refused key is noticed. */
export function noticed(error: unknown): unknown {
  if (error instanceof ShelfError && error.code === 'unauthorized') for (const notify of unauthorized) notify();
  return error;
}

const unauthorized = new Set<() => void>();

/** Called when the server refuses the key, or the lack of one. */
export function onUnauthorized(notify: () => void): void {
  unauthorized.add(notify);
}
