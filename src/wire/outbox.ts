/** What goes out on a connection: at once as far as the system takes it, and the rest when it has room again. */
import type { Socket } from 'bun';
import type { Bytes } from '../domain/bytes.ts';

const nothing: Bytes = new Uint8Array(0);

export class Outbox {
  #closed = false;
  #unsent = nothing;
  #emptied: () => void = () => {};

  constructor(
    readonly socket: Pick<Socket<unknown>, 'write'>,
    /** Others use it too, one at a time. */
    readonly scratch: Buffer,
    /** Called when there is more of it that the reader has to be waited for, and when there is nothing any more. */
    readonly changed: () => void,
  ) {}

  /** The connection is gone, and nobody reads any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Bytes. */
  get unsent(): number {
    return this.#unsent.length;
  }

  /** `size` is that of the text in bytes. */
  writeText(text: string, size: number): void {
    if (this.#unsent.length > 0) {
      this.write(Buffer.from(text));
      return;
    }
    const sent = this.socket.write(text);
    if (sent < size) this.#keep(Buffer.from(text).subarray(Math.max(sent, 0)));
  }

  write(bytes: Bytes): void {
    if (this.#unsent.length > 0) {
      this.#keep(Buffer.concat([this.#unsent, bytes]));
      return;
    }
    const sent = this.socket.write(bytes);
    if (sent < bytes.length) this.#keep(bytes.subarray(Math.max(sent, 0)));
  }

  /** In one piece where that is short enough. */
  writeBoth(head: string, content: Bytes): void {
    const size = head.length + content.length;
    if (this.#unsent.length > 0 || size > this.scratch.length) {
      this.writeText(head, head.length);
      this.write(content);
      return;
    }
    this.scratch.write(head, 'latin1');
    this.scratch.set(content, head.length);
    const sent = this.socket.write(this.scratch, 0, size);
    // The next answer is put together in the same place.
    if (sent < size) this.#keep(Uint8Array.from(this.scratch.subarray(Math.max(sent, 0), size)));
  }

  /** The system has room again. Answers how many bytes it took. */
  drain(): number {
    const rest = this.#unsent;
    this.#unsent = nothing;
    this.write(rest);
    const taken = rest.length - this.#unsent.length;
    if (taken === rest.length) {
      this.changed();
      this.#tellEmptied();
    }
    return taken;
  }

  /** At once where nothing is unsent; also when the connection is gone. */
  whenEmpty(then: () => void): void {
    if (this.#unsent.length === 0) then();
    else this.#emptied = then;
  }

  close(): void {
    this.#closed = true;
    this.#unsent = nothing;
    this.changed();
    this.#tellEmptied();
  }

  #keep(bytes: Bytes): void {
    this.#unsent = bytes;
    this.changed();
  }

  #tellEmptied(): void {
    const tell = this.#emptied;
    this.#emptied = () => {};
    tell();
  }
}
