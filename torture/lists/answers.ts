/** Finds the answers in the bytes of a connection: each has exactly the bytes that its Content-Length says, and the next follows at once. */

export type Answer = {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Valid only during the call that receives it. */
  readonly body: Buffer;
};

type Head = Omit<Answer, 'body'> & { readonly bytes: number; readonly bodyBytes: number };

/** The bytes are not the expected answers. */
export class BadAnswer extends Error {}

const firstBytes = Buffer.from('HTTP/1.1 ');
const maxHeadBytes = 16 * 1024;

export class Answers {
  #bytes = Buffer.alloc(64 * 1024);
  #length = 0;
  #head: Head | undefined;

  /** Calls `judge` at the end of each answer. Throws a BadAnswer. */
  take(chunk: Uint8Array, judge: (answer: Answer) => void): void {
    this.#append(chunk);
    for (;;) {
      this.#head ??= parseHead(this.#bytes.subarray(0, this.#length));
      if (this.#head === undefined) return;
      const { status, headers, bytes, bodyBytes } = this.#head;
      if (this.#length < bytes + bodyBytes) return;
      judge({ status, headers, body: this.#bytes.subarray(bytes, bytes + bodyBytes) });
      this.#bytes.copyWithin(0, bytes + bodyBytes, this.#length);
      this.#length -= bytes + bodyBytes;
      this.#head = undefined;
    }
  }

  /** Received bytes of an answer that is not complete. */
  get incomplete(): number {
    return this.#length;
  }

  #append(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#bytes.byteLength) {
      const larger = Buffer.alloc(2 * length);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }
}

/** Undefined until the head is complete. */
function parseHead(bytes: Buffer): Head | undefined {
  const first = bytes.subarray(0, firstBytes.byteLength);
  if (!first.equals(firstBytes.subarray(0, first.byteLength)))
    throw new BadAnswer(`expected a status line, got ${excerpt(bytes)}`);
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0 && bytes.byteLength > maxHeadBytes) throw new BadAnswer(`a head without end: ${excerpt(bytes)}`);
  if (end < 0) return undefined;
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/.exec(line)?.[1];
  if (status === undefined) throw new BadAnswer(`expected a status line, got ${line}`);
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name, value] = /^([\w-]+): ?([\x20-\x7e]*)$/.exec(field) ?? [];
    if (name === undefined || value === undefined) throw new BadAnswer(`expected a header, got ${field}`);
    if (headers.has(name.toLowerCase())) throw new BadAnswer(`two headers ${name}`);
    headers.set(name.toLowerCase(), value);
  }
  return { status: Number(status), headers, bytes: end + 4, bodyBytes: bodyLength(Number(status), headers) };
}

function bodyLength(status: number, headers: ReadonlyMap<string, string>): number {
  const length = headers.get('content-length');
  if (headers.has('transfer-encoding')) throw new BadAnswer('expected a Content-Length, got a Transfer-Encoding');
  if (status === 204) {
    if (length !== undefined) throw new BadAnswer(`a 204 with Content-Length ${length}`);
    return 0;
  }
  if (length === undefined || !/^\d+$/.test(length)) throw new BadAnswer(`expected a Content-Length, got ${length}`);
  return Number(length);
}

/** The first bytes, for a message. */
export function excerpt(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1', 0, 80));
}
