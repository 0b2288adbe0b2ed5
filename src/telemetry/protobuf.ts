/** Writes messages in protobuf. A message is the object of its JSON form; its shape says how each member is written. */

/**
 * `hex`: bytes as hexadecimal digits. Numbers of 64 bits are decimal text, as in JSON. A list of numbers is packed. A `time` is a number of
 * milliseconds since 1970, written in nanoseconds.
 */
export type Kind =
  | 'string'
  | 'hex'
  | 'bool'
  | 'varint'
  | 'fixed32'
  | 'fixed64'
  | 'time'
  | 'double'
  | 'fixed64s'
  | 'doubles'
  | 'attributes'
  | 'shared';

/** Numbers are whole. Those that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Attributes that many messages have: they are encoded once. */
export class SharedAttributes {
  readonly #encoded = new Map<number, Uint8Array>();

  constructor(readonly values: Attributes) {}

  /** As the field with this number. */
  encoded(number: number): Uint8Array {
    const known = this.#encoded.get(number);
    if (known !== undefined) return known;
    const writer = new Writer(512);
    writer.attributes(number, this.values);
    const bytes = writer.bytes();
    this.#encoded.set(number, bytes);
    return bytes;
  }
}

/** The number of each field, and its kind, or the shape of a message or of each message of a list. */
export type Shape = { readonly [name: string]: readonly [number, Kind | Shape] };

export type Message = { readonly [name: string]: unknown };

const wireTypes = { bool: 0, varint: 0, fixed64: 1, time: 1, double: 1, fixed32: 5 } as const;
const utf8 = new TextEncoder();

export class Writer {
  #bytes: Buffer;
  #view: DataView;
  #at = 0;

  /** `size`: of its first buffer, in bytes. */
  constructor(size = 64 * 1024) {
    this.#bytes = Buffer.allocUnsafe(size);
    this.#view = viewOf(this.#bytes);
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#at));
  }

  /** Members that are undefined are left out. */
  #message(message: Message, shape: Shape): void {
    for (const name in message) {
      const value = message[name];
      if (value === undefined) continue;
      const field = shape[name];
      if (field === undefined) throw new Error(`the message has no field ${name}`);
      const [number, kind] = field;
      if (typeof kind === 'string') this.#field(number, kind, value);
      else if (Array.isArray(value)) for (const one of value) this.nested(number, one, kind);
      else this.nested(number, value as Message, kind);
    }
  }

  /** A message that is a member of the one that was begun. */
  nested(number: number, message: Message, shape: Shape): void {
    const start = this.begin(number);
    this.#message(message, shape);
    this.end(start);
  }

  #field(number: number, kind: Kind, value: unknown): void {
    if (kind === 'string') this.#string(number, String(value));
    else if (kind === 'attributes') this.attributes(number, value as Attributes);
    else if (kind === 'shared') this.#raw((value as SharedAttributes).encoded(number));
    else if (kind === 'hex' || kind === 'doubles' || kind === 'fixed64s') {
      const start = this.begin(number);
      if (kind === 'hex') this.#hex(String(value));
      else for (const one of value as readonly unknown[]) this.#wide(kind === 'doubles' ? 'double' : 'fixed64', one);
      this.end(start);
    } else {
      this.#varint((number << 3) | wireTypes[kind]);
      if (kind === 'time') this.#time(Number(value));
      else if (kind === 'fixed64' || kind === 'double') this.#wide(kind, value);
      else if (kind === 'fixed32') this.#fixed32(Number(value));
      else if (typeof value === 'string') this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
      else this.#varint(Number(value));
    }
  }

  /** Each is a message with a name and a value, which is a message with one of a text, a boolean and a whole number: KeyValue of OTLP. */
  attributes(number: number, attributes: Attributes): void {
    for (const name in attributes) {
      const one = attributes[name];
      if (one === undefined) continue;
      const start = this.begin(number);
      this.#string(1, name);
      const value = this.begin(2);
      if (typeof one === 'string') this.#string(1, one);
      else if (typeof one === 'boolean') this.#field(2, 'bool', one);
      else this.#field(3, 'varint', one >= 0 && one < 2 ** 31 ? one : String(one));
      this.end(value);
      this.end(start);
    }
  }

  /** Begins a field whose length comes before it: one byte is kept for the length, and what follows is moved if it needs more. */
  begin(number: number): number {
    this.#varint((number << 3) | 2);
    this.#reserve(1);
    return ++this.#at;
  }

  /** `start`: what `begin` has returned. */
  end(start: number): void {
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
    if (text.length <= 127 && this.#shortAscii(number, text)) return;
    const start = this.begin(number);
    this.#text(text);
    this.end(start);
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

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #text(text: string): void {
    this.#reserve(text.length * 3);
    this.#at += utf8.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  #hex(digits: string): void {
    this.#reserve(digits.length / 2);
    this.#at += this.#bytes.write(digits, this.#at, 'hex');
  }

  #wide(kind: 'fixed64' | 'double', value: unknown): void {
    this.#reserve(8);
    if (kind === 'double') this.#view.setFloat64(this.#at, Number(value), true);
    else this.#view.setBigUint64(this.#at, BigInt(String(value)), true);
    this.#at += 8;
  }

  /** To the microsecond. By halves, because a number has 53 bits. */
  #time(ms: number): void {
    this.#reserve(8);
    const micros = Math.round(ms * 1000);
    const high = Math.floor(micros / 2 ** 32);
    const low = (micros - high * 2 ** 32) * 1000;
    this.#view.setUint32(this.#at, low % 2 ** 32, true);
    this.#view.setUint32(this.#at + 4, high * 1000 + Math.floor(low / 2 ** 32), true);
    this.#at += 8;
  }

  #fixed32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + size));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
