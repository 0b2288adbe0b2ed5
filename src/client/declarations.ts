/**
 * The declarations of the server's collections. JSON does not say whether 20 is an integer or a double, so the client asks
 * once, beside its first request. A server can get other declarations later: an answer that does not fit those that are known
 * makes the client ask again.
 */
import { abortable } from './abort.ts';
import { type FieldDeclaration, isStale, type Known, readerOf, type Stale } from './decode.ts';
import { parse } from './digits.ts';
import { ShelfError } from './failure.ts';
import type { CallOptions, Sender } from './sender.ts';

type Index = {
  readonly collections: readonly {
    readonly name: string;
    readonly declaration: {
      readonly singular: string;
      readonly contract?: boolean;
      readonly fields: Readonly<Record<string, FieldDeclaration>>;
    };
  }[];
};

export class Declarations {
  #asked: Promise<Known> | undefined;
  /** Fields of answers that did not fit the newest declarations either, such as those of old changes. */
  readonly #tolerated = new Set<string>();

  constructor(readonly sender: Sender) {}

  /** Asks once for all calls, so that aborting one call does not end it. A failure is not remembered. */
  known({ signal }: CallOptions): Promise<Known> {
    if (this.#asked === undefined) {
      const asked = this.#ask();
      this.#asked = asked;
      asked.catch(() => {
        if (this.#asked === asked) this.#asked = undefined;
      });
    }
    return abortable(this.#asked, signal);
  }

  async #ask(): Promise<Known> {
    const text = await this.sender.send({ method: 'GET', path: '', safety: 'read' }, {});
    const { collections } = parse(text).value as Index;
    return new Map(collections.map(({ name, declaration }) => [name, readerOf(declaration)]));
  }

  /** `read` gets the known declarations, and those of the server if it throws Stale. */
  async decode<Value>(
    text: string,
    read: (value: unknown, known: Known, isMarked: boolean, tolerated: ReadonlySet<string>) => Value,
    options: CallOptions,
  ): Promise<Value> {
    let isFresh = false;
    for (;;) {
      const asked = await this.known(options);
      const { value, isMarked } = parsed(text);
      try {
        return read(value, asked, isMarked, this.#tolerated);
      } catch (error) {
        if (!isStale(error)) throw error;
        if (isFresh) this.#tolerated.add((error as Stale).at);
        else await this.#forget(asked);
        isFresh = true;
      }
    }
  }

  /** Unless another call has asked again meanwhile. */
  async #forget(old: Known): Promise<void> {
    if ((await this.#asked) === old) this.#asked = undefined;
  }
}

function parsed(text: string) {
  try {
    return parse(text);
  } catch (cause) {
    throw new ShelfError('unexpected_answer', 'The answer is not JSON.', { status: 200, cause });
  }
}
