/** Encodes messages in protobuf. A message is the object of its JSON form; its shape says how each member is written. */

/** `hex`: bytes as hexadecimal digits. Numbers of 64 bits are decimal text, as in JSON. A list of numbers is packed. */
export type Kind = 'string' | 'hex' | 'bool' | 'varint' | 'fixed32' | 'fixed64' | 'double' | 'fixed64s' | 'doubles';

/** The number of each field, and its kind, or the shape of a message or of each message of a list. */
export type Shape = { readonly [name: string]: readonly [number, Kind | Shape] };

export type Message = { readonly [name: string]: unknown };

const wireTypes = { bool: 0, varint: 0, fixed64: 1, double: 1, fixed32: 5 } as const;
const utf8 = new TextEncoder();

export function encodeProtobuf(message: Message, shape: Shape): Uint8Array {
  const writer = new Writer();
  writer.message(message, shape);
  return writer.bytes();
}

class Writer {
  #bytes = new Uint8Array(64 * 1024);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  /** Members that are undefined are left out. */
  message(message: Message, shape: Shape): void {
    for (const name in message) {
      const value = message[name];
      if (value === undefined) continue;
      const [number, kind] = shape[name] ?? [];
      if (number === undefined || kind === undefined) throw new Error(`the message has no field ${name}`);
      if (typeof kind === 'string') this.#field(number, kind, value);
      else if (Array.isArray(value)) for (const one of value) this.#nested(number, () => this.message(one, kind));
      else this.#nested(number, () => this.message(value as Message, kind));
    }
  }

  #field(number: number, kind: Kind, value: unknown): void {
    if (kind === 'string') this.#string(number, String(value));
    else if (kind === 'hex') this.#nested(number, () => this.#raw(Buffer.from(String(value), 'hex')));
    else if (kind === 'doubles') this.#nested(number, () => this.#each(value, (one) => this.#double(Number(one))));
    else if (kind === 'fixed64s') this.#nested(number, () => this.#each(value, (one) => this.#fixed64(String(one))));
    else {
      this.#varint((number << 3) | wireTypes[kind]);
      if (kind === 'fixed64') this.#fixed64(String(value));
      else if (kind === 'double') this.#double(Number(value));
      else if (kind === 'fixed32') this.#number(4, (at) => this.#view.setUint32(at, Number(value), true));
      else if (typeof value === 'string') this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
      else this.#varint(Number(value));
    }
  }

  #each(values: unknown, write: (one: unknown) => void): void {
    for (const one of values as readonly unknown[]) write(one);
  }

  /** A field whose length comes before it: one byte is kept for the length, and what follows is moved if it needs more. */
  #nested(number: number, write: () => void): void {
    this.#varint((number << 3) | 2);
    this.#reserve(1);
    const start = ++this.#at;
    write();
    const length = this.#at - start;
    const size = length < 128 ? 1 : Math.ceil((32 - Math.clz32(length)) / 7);
    if (size > 1) {
      this.#reserve(size);
      this.#bytes.copyWithin(start + size - 1, start, this.#at);
    }
    this.#at = start - 1;
    this.#varint(length);
    this.#at += length;
  }

  /** `value` has at most 31 bits. */
  #varint(value: number): void {
    this.#reserve(5);
    let rest = value;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#at++] = (rest & 127) | 128;
    this.#bytes[this.#at++] = rest;
  }

  #bigVarint(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    for (; rest > 127n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | 128;
    this.#bytes[this.#at++] = Number(rest);
  }

  /** Most texts are short and ASCII: with a loop for them, a span takes half the time. */
  #string(number: number, text: string): void {
    if (text.length > 127 || !this.#shortAscii(number, text)) this.#nested(number, () => this.#text(text));
  }

  /** False, and nothing is written, for a text that is not ASCII. */
  #shortAscii(number: number, text: string): boolean {
    const before = this.#at;
    this.#reserve(text.length + 10);
    this.#varint((number << 3) | 2);
    const bytes = this.#bytes;
    bytes[this.#at++] = text.length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) {
        this.#at = before;
        return false;
      }
      bytes[this.#at++] = code;
    }
    return true;
  }

  #text(text: string): void {
    this.#reserve(text.length * 3);
    this.#at += utf8.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #fixed64(value: string): void {
    this.#number(8, (at) => this.#view.setBigUint64(at, BigInt(value), true));
  }

  #double(value: number): void {
    this.#number(8, (at) => this.#view.setFloat64(at, value, true));
  }

  #number(size: number, set: (at: number) => void): void {
    this.#reserve(size);
    set(this.#at);
    this.#at += size;
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + size));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
