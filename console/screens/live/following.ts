/** Follows the feed for the screen, and lets go of it when the screen does. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type FeedState, follow } from '../../api/feed.ts';
import { type Entry, entryOf, Recent } from './recent.ts';

/** A person cannot follow more often, and a busy feed would keep the browser drawing. */
const drawMs = 250;

export type Filter = {
  /** Undefined for all. */
  readonly collection: string | undefined;
  /** Empty for all. */
  readonly kinds: readonly string[];
};

export type Shown = { readonly entries: readonly Entry[]; readonly count: number };

export class Following {
  readonly state = signal<FeedState>('connecting');
  readonly #shown = signal<Shown>({ entries: [], count: 0 });
  /** Changes since the pause; undefined if it is not paused. */
  readonly waiting = signal<number | undefined>(undefined);
  /** Changes were missed that the server no longer has. */
  readonly hasGap = signal(false);
  readonly #recent = new Recent();
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ collection, kinds }: Filter) {
    this.#end = follow({
      collection,
      onState: (state) => {
        this.state.value = state;
      },
      onResync: (isStart) => {
        if (!isStart) this.hasGap.value = true;
      },
      onChange: (change) => {
        const entry = entryOf(change);
        if (kinds.length > 0 && !kinds.includes(entry.kind)) return;
        this.#recent.add(entry);
        this.#timer ??= setTimeout(() => this.#draw(), drawMs);
      },
    });
  }

  get shown(): ReadonlySignal<Shown> {
    return this.#shown;
  }

  pause(): void {
    this.waiting.value = this.#recent.count - this.#shown.value.count;
  }

  goOn(): void {
    this.waiting.value = undefined;
    this.#draw();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#end();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { count } = this.#recent;
    if (this.waiting.value === undefined) this.#shown.value = { entries: this.#recent.newest(), count };
    else this.waiting.value = count - this.#shown.value.count;
  }
}
