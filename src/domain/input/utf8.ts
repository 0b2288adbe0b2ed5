/** Decodes UTF-8 that arrives in pieces, and says which byte is none. */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `before` is the text of the piece up to the first byte that is not UTF-8. `reason` follows "the text". */
export type NotUtf8 = { readonly before: string; readonly reason: string };

/** Most bytes of one character. */
const longest = 4;

export class Utf8Pieces {
  /** The first bytes of a character whose last ones have not arrived; fewer than `longest`. */
  #partial = new Uint8Array(0);
  /** Bytes in the pieces before, without the partial ones. */
  #offset = 0;

  /** The whole characters of the pieces so far that were not returned before. */
  push(piece: Uint8Array): string | NotUtf8 {
    const bytes = this.#partial.length === 0 ? piece : joined(this.#partial, piece);
    return this.#decode(bytes, wholeLength(bytes));
  }

  /** Call it once, after the last piece: the text is empty, unless the last character is cut off. */
  end(): string | NotUtf8 {
    return this.#decode(this.#partial, this.#partial.length);
  }

  #decode(bytes: Uint8Array, length: number): string | NotUtf8 {
    const whole = bytes.subarray(0, length);
    const isStart = this.#offset === 0;
    try {
      const text = decoder.decode(whole);
      this.#offset += length;
      // A copy: the piece that it comes from may be large.
      this.#partial = bytes.slice(length);
      return isStart && text.startsWith(byteOrderMark) ? text.slice(1) : text;
    } catch {
      const at = validLength(whole);
      const before = decoder.decode(whole.subarray(0, at));
      const byte = `the byte ${hex(whole[at] ?? 0)} at offset ${this.#offset + at}`;
      const known = isStart ? otherEncoding(whole) : undefined;
      const reason = known === undefined ? `has ${byte}, which is not UTF-8` : `${known}: it has ${byte}`;
      return { before: isStart && before.startsWith(byteOrderMark) ? before.slice(1) : before, reason };
    }
  }
}

const byteOrderMark = '\ufeff';

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Encodings and formats that are often sent by mistake. */
function otherEncoding([first, second]: Uint8Array): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'is UTF-16, not UTF-8';
  return first === 0x1f && second === 0x8b ? 'is compressed with gzip' : undefined;
}

const hex = (byte: number) => `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Without the bytes at the end that begin a character and do not complete it. */
function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back < longest && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    // A continuation byte: the first byte of its character is further back.
    if ((byte & 0xc0) === 0x80) continue;
    return lengthFrom(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Bytes of the character that begins with this byte. */
function lengthFrom(first: number): number {
  if (first < 0xc2) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
}

/** Bytes up to the first that is not UTF-8. */
function validLength(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = lengthFrom(bytes[at] ?? 0);
    try {
      decoder.decode(bytes.subarray(at, at + length));
    } catch {
      return at;
    }
    at += length;
  }
  return at;
}
