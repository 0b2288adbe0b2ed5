/** A client of the live feed that records the events. */

export type ReceivedEvent = { readonly id: string; readonly event: string; readonly data: string };

export class Listening {
  readonly told: ReceivedEvent[] = [];
  /** The last id that was received, with or without an event. */
  lastId = '';
  comments = 0;
  readonly #waiting = new Set<() => void>();
  #ended = false;
  readonly #aborter = new AbortController();
  readonly ended: Promise<void>;

  private constructor(readonly response: Response) {
    this.ended = this.#read();
  }

  static async to(url: string, headers: Record<string, string> = {}): Promise<Listening> {
    const aborter = new AbortController();
    const listening = new Listening(await fetch(url, { headers, signal: aborter.signal }));
    listening.#aborter.signal.addEventListener('abort', () => aborter.abort());
    return listening;
  }

  leave(): void {
    this.#aborter.abort();
  }

  /** Resolves when the condition holds; throws if the stream ends first. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#ended) throw new Error(`the stream ended after ${this.told.length} events`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async #read(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
        this.#wake();
      }
    } catch {
      // The stream was aborted or cut; the events that were received before remain.
    }
    this.#ended = true;
    this.#wake();
  }

  #take(block: string): void {
    let [event, data] = ['message', ''];
    for (const line of block.split('\n')) {
      const [, field, value = ''] = /^([a-z]*): ?(.*)$/s.exec(line) ?? [];
      if (field === '') this.comments++;
      if (field === 'id') this.lastId = value;
      if (field === 'event') event = value;
      if (field === 'data') data = value;
    }
    if (data !== '') this.told.push({ id: this.lastId, event, data });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
