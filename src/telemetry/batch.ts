/** Collects what is sent together. */
import type { RequestBody } from './otlp.ts';
import type { Message } from './protobuf.ts';

/** Enough that a request costs little for each. */
const most = 512;
const waitMs = 1000;

export class Batch {
  #body: RequestBody | undefined;
  #count = 0;
  #timer: Timer | undefined;

  constructor(
    readonly newBody: () => RequestBody,
    readonly take: (bytes: Uint8Array, count: number) => void,
  ) {}

  add(item: Message): void {
    this.#body ??= this.newBody();
    this.#body.add(item);
    this.#count++;
    if (this.#count >= most) this.flush();
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.flush(), waitMs);
      this.#timer.unref();
    }
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [body, count] = [this.#body, this.#count];
    if (body === undefined) return;
    this.#body = undefined;
    this.#count = 0;
    this.take(body.end(), count);
  }
}
