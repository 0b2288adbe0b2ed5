/** The server that connections go to. It may become another one while a pool is open. */
import { serversOf } from './servers.ts';

export interface CurrentServer {
  /** URL of the server to connect to now. */
  readonly url: string;
  /** Resolves when the server may be used; undefined if it may be at once. Rejects at the deadline. */
  admit(deadline: number): Promise<void> | undefined;
  /** Call after an error that another server may not have. */
  suspect(): void;
  /** Call before a write is acknowledged that was sent at `since`. Rejects if another server has become the primary. */
  confirm(since: number): Promise<void> | undefined;
}

/** A URL that names one server, which is then always the right one. */
export function fixedServer(url: string): CurrentServer {
  return { url: serversOf(url)[0] ?? url, admit: () => undefined, suspect() {}, confirm: () => undefined };
}
