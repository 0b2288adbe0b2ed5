/**
 * The declarations of the server's collections. JSON does not say whether 20 is an integer or a double, so the client asks
 * once, beside its first request. A server can get other declarations later: an answer that does not fit those that are known
 * makes the client ask again.
 */
import { abortable } from './send/abort.ts';
import { ShelfError } from './send/failure.ts';
import { api, type CallOptions, type Sender } from './send/sender.ts';
import { Decoder, type FieldDeclaration, isStale, type Known, readerOf, type Stale } from './values/decode.ts';
import { type Parsed, reading } from './values/digits.ts';

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
  /** What was answered. */
  #known: Known | undefined;
  /** Fields of answers that did not fit the newest declarations either, such as those of old changes. */
  readonly #tolerated = new Set<string>();

  constructor(readonly sender: Sender) {}

  /** Asks once for all calls, so that aborting one call does not end it. A failure is not remembered. */
  known({ signal }: CallOptions): Known | Promise<Known> {
    if (this.#known !== undefined) return this.#known;
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined;
    });
    return abortable(this.#asked, signal);
  }

  /** Asks again. */
  renew(options: CallOptions): Known | Promise<Known> {
    this.#known = undefined;
    return this.known(options);
  }

  async #ask(): Promise<Known> {
    const text = await this.sender.send({ method: 'GET', path: api, safety: 'read' }, {}).catch((error) => {
      throw error instanceof ShelfError && error.code === 'unknown_path' ? unlisted(error) : error;
    });
    const { collections } = JSON.parse(text) as Index;
    this.#known = new Map(collections.map(({ name, declaration }) => [name, readerOf(declaration)]));
    return this.#known;
  }

  /** `read` gets the known declarations, and those of the server if it throws Stale. At once, if they are known. */
  decode<Value>(text: string, read: Reading<Value>, options: CallOptions): Value | Promise<Value> {
    const known = this.#known;
    if (known === undefined) return this.#decodeSoon(text, read, options);
    try {
      return this.#read(text, read, known);
    } catch (error) {
      if (!isStale(error)) throw error;
      // Unless another call has asked again meanwhile.
      if (this.#known === known) this.#known = undefined;
      return this.#decodeSoon(text, read, options);
    }
  }

  async #decodeSoon<Value>(text: string, read: Reading<Value>, options: CallOptions): Promise<Value> {
    const known = await this.known(options);
    for (;;) {
      try {
        return this.#read(text, read, known);
      } catch (error) {
        if (!isStale(error)) throw error;
        this.#tolerated.add((error as Stale).at);
      }
    }
  }

  #read<Value>(text: string, read: Reading<Value>, known: Known): Value {
    return answerIn(text, (parsed) => read(parsed.value, new Decoder(parsed, known, this.#tolerated)));
  }
}

/** Throws `unexpected_answer`. */
export function answerIn<Value>(text: string, read: (parsed: Parsed) => Value): Value {
  try {
    return reading(text, read);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ShelfError('unexpected_answer', 'The answer is not JSON.', { status: 200, cause });
  }
}

function unlisted(cause: ShelfError): ShelfError {
  const message =
    'The server does not list its collections, without which the client cannot tell an integer from a double: start it with --docs admin.';
  return new ShelfError('unknown_path', message, { status: 404, requestId: cause.requestId, cause });
}

type Reading<Value> = (value: unknown, decoder: Decoder) => Value;
