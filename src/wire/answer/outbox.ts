/** Output of a connection: written at once as far as the kernel accepts it, the rest when it has room again. */
import type { Socket } from 'bun';
import type { Bytes } from '../../domain/bytes.ts';
import type { SharedFiles } from './shared-files.ts';

/** Retries in a row in which the client has read nothing. */
const maxStalls = 2;

const nothing: Bytes = new Uint8Array(0);
/** Takes half of the time of `set` for a short content. */
const { copy } = Buffer.prototype;

export class Outbox {
  #closed = false;
  #unsent = nothing;
  #onEmpty: () => void = () => {};
  #stalls = 0;

  constructor(
    readonly socket: Pick<Socket<unknown>, 'write'>,
    /** Shared by all connections, one at a time. */
    readonly scratch: Buffer,
    /** Called when a write leaves bytes unsent, and when none are left. */
    readonly changed: () => void,
    /** Undefined if all output has to pass through the runtime, as with TLS. */
    readonly files: SharedFiles | undefined = undefined,
  ) {}

  /** The connection is closed: output has no reader. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Bytes. */
  get unsent(): number {
    return this.#unsent.length;
  }

  /** `size` is the length of the text in bytes. */
  writeText(text: string, size: number): void {
    if (this.#unsent.length > 0) {
      this.write(Buffer.from(text));
      return;
    }
    const sent = this.socket.write(text);
    if (sent < size) this.#hold(Buffer.from(text).subarray(Math.max(sent, 0)));
  }

  write(bytes: Bytes): void {
    if (this.#unsent.length > 0) {
      this.#hold(Buffer.concat([this.#unsent, bytes]));
      return;
    }
    const sent = this.socket.write(bytes);
    if (sent < bytes.length) this.#hold(bytes.subarray(Math.max(sent, 0)));
  }

  /** In one write if both fit into `scratch`. The head is ASCII. `isShared`: other answers have the same content. */
  writeBoth(head: string, content: Bytes, isShared = false): void {
    const size = head.length + content.length;
    const isEmpty = this.#unsent.length === 0;
    const accepted = isShared && isEmpty ? (this.files?.send(this.socket, head, content) ?? 0) : 0;
    if (accepted === size) return;
    if (accepted > 0 || !isEmpty || size > this.scratch.length) {
      if (accepted < head.length) this.writeText(head.slice(accepted), head.length - accepted);
      this.write(content.subarray(Math.max(0, accepted - head.length)));
      return;
    }
    this.scratch.write(head, 'latin1');
    copy.call(content, this.scratch, head.length);
    const sent = this.socket.write(this.scratch, 0, size);
    // A copy, because the next answer is assembled in the same buffer.
    if (sent < size) this.#hold(Uint8Array.from(this.scratch.subarray(Math.max(sent, 0), size)));
  }

  /** Tries to write, whether or not the kernel has room. False if the client reads too slowly. */
  retry(): boolean {
    this.#stalls++;
    this.drain();
    return this.#stalls < maxStalls;
  }

  /** The kernel has room again. */
  drain(): void {
    const rest = this.#unsent;
    this.#unsent = nothing;
    this.write(rest);
    if (this.#unsent.length < rest.length) this.#stalls = 0;
    if (this.#unsent.length === 0) {
      this.changed();
      this.#notifyEmpty();
    }
  }

  /** Calls `then` at once if nothing is unsent, else when all is sent or the connection closes. */
  whenEmpty(then: () => void): void {
    if (this.#unsent.length === 0) then();
    else this.#onEmpty = then;
  }

  close(): void {
    this.#closed = true;
    this.#unsent = nothing;
    this.changed();
    this.#notifyEmpty();
  }

  #hold(bytes: Bytes): void {
    this.#unsent = bytes;
    this.changed();
  }

  #notifyEmpty(): void {
    const callback = this.#onEmpty;
    this.#onEmpty = () => {};
    callback();
  }
}
