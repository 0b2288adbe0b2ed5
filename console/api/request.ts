/** One request to the API. Its answer is text, so that every digit is kept: the typed methods of the client decode it. */
import { ShelfError } from '../../src/client/send/failure.ts';
import type { CallOptions, Request as Sent } from '../../src/client/send/sender.ts';
import { clientOfTab, tokenOfPage } from './client.ts';

export type Request = Omit<Sent, 'method' | 'safety'> & CallOptions & { readonly method?: Sent['method'] };

/** Resolves with the body of a success. Throws a ShelfError. */
export function send(request: Request): Promise<string> {
  return receive(request, (response) => response.text());
}

/** The same, with the body as `read` gets it from the answer. */
export async function receive<Body>(request: Request, read: (response: Response) => Promise<Body>): Promise<Body> {
  const { method = 'GET', signal, timeout, ...sent } = request;
  const safety = method === 'GET' ? 'read' : 'once';
  const ask = () => clientOfTab().receive({ ...sent, method, safety }, { signal, timeout }, read);
  const token = tokenOfPage.get();
  try {
    return await ask().catch(async (error) => {
      // It was refused, so it has changed nothing.
      if (await isRenewed(error, token, method !== 'GET')) return ask();
      throw error;
    });
  } catch (error) {
    throw noticed(error);
  }
}

/** Resolves with whether there is another token than this one, which the server has refused. `isChange`: a change waits for it. */
let renew: (token: string | undefined, isChange: boolean) => Promise<boolean> = async () => false;

export function onExpired(renewed: typeof renew): void {
  renew = renewed;
}

/** Whether a request with this token has failed because of it, and there is another one. */
export async function isRenewed(error: unknown, token: string | undefined, isChange: boolean): Promise<boolean> {
  return isUnauthorized(error) && renew(token, isChange);
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ShelfError && error.code === 'unauthorized';
}

/** The same error; a refused key is noticed. */
export function noticed(error: unknown): unknown {
  if (isUnauthorized(error)) for (const notify of unauthorized) notify();
  return error;
}

const unauthorized = new Set<() => void>();

/** Called when the server refuses the key, or the lack of one. */
export function onUnauthorized(notify: () => void): void {
  unauthorized.add(notify);
}
