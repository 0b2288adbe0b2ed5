/** The newest changes: as many as are shown, however many arrive. */
import type { Change } from '../../api/feed.ts';

/** One line of the screen. What else a change has is let go, or a busy feed would fill the memory of the page. */
export type Entry = {
  readonly seq: string;
  /** `created`, `updated` or `deleted`. */
  readonly kind: string;
  /** The name of one record of the collection, as the feed has it. */
  readonly singular: string;
  readonly id: string;
  readonly at: string;
  readonly by: string | null;
  readonly summary: string;
};

export const mostShown = 200;
const mostCharacters = 300;
const unseenFields = ['id', 'version', 'created_at', 'updated_at'];

export class Recent {
  #entries: Entry[] = [];
  #count = 0;

  /** All that were added. */
  get count(): number {
    return this.#count;
  }

  add(entry: Entry): void {
    this.#count++;
    this.#entries.push(entry);
    // Not with every one, because it copies.
    if (this.#entries.length >= 2 * mostShown) this.#entries = this.#entries.slice(-mostShown);
  }

  /** The newest first. */
  newest(): readonly Entry[] {
    return this.#entries.slice(-mostShown).reverse();
  }
}

export function entryOf({ seq, type, at, by, record }: Change): Entry {
  const dot = type.lastIndexOf('.');
  const fields = [...record].filter(([name]) => !unseenFields.includes(name));
  const summary = fields.map(([name, value]) => `${name}: ${value}`).join(', ');
  return {
    seq,
    kind: type.slice(dot + 1),
    singular: type.slice(0, dot),
    id: record.get('id') ?? '',
    at,
    by,
    summary: summary.length > mostCharacters ? `${summary.slice(0, mostCharacters)} \u2026` : summary,
  };
}
