/** A request: its head, and its body, which may still be arriving. */
import type { Failure } from '../domain/errors.ts';
import type { Body } from './body.ts';
import { all, type Head } from './head.ts';

/** Who is at the other end. */
export type Peer = {
  readonly address: string;
  /** There are more connections than there should be, and this is one of those. */
  readonly extra: boolean;
};

export class Incoming {
  readonly method: string;
  readonly target: string;
  readonly #head: Head;
  #left: AbortController | undefined;

  constructor(
    head: Head,
    readonly body: Body,
    readonly peer: Peer,
  ) {
    this.method = head.method;
    this.target = head.target;
    this.#head = head;
  }

  /** What an answer to it depends on. */
  get asked(): Head {
    return this.#head;
  }

  /** It has preconditions: If-Match or If-None-Match. */
  get conditional(): boolean {
    return this.#head.fields.conditional;
  }

  /** Aborted with a failure when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    this.#left ??= new AbortController();
    return this.#left.signal;
  }

  abort(why: Failure): void {
    this.#left ??= new AbortController();
    this.#left.abort(why);
  }

  /** By its name in lower case; null where it was not sent. */
  header(name: string): string | null {
    const { names, values } = this.#head.fields;
    const index = names.indexOf(name);
    if (index < 0) return null;
    return names.indexOf(name, index + 1) < 0 ? (values[index] ?? null) : all(names, values, name);
  }
}
