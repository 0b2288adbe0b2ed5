/** The newest changes: as many as are shown, however many arrive. */
import type { JsonText } from '../../../src/exact/json-text.ts';
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
  /** Of an update, the fields that it changed; otherwise those of the record. */
  readonly fields: readonly FieldOfEntry[];
  /** Fields that are left out, because the line is long enough. */
  readonly more: number;
};

export type FieldOfEntry = {
  readonly name: string;
  /** Undefined if it is not known, or there was none. */
  readonly before: JsonText | undefined;
  readonly value: JsonText;
};

export const mostShown = 200;
/** Of a line; at least one field is shown. A value is whole, or left out: digits that are cut would be another number. */
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

export function entryOf({ seq, type, at, by, record, before }: Change): Entry {
  const dot = type.lastIndexOf('.');
  const all = [...record]
    .filter(
      ([name, value]) => !unseenFields.includes(name) && (before === undefined ? value !== 'null' : before.has(name)),
    )
    .map(([name, value]) => ({ name, before: shortened(before?.get(name)), value: shortened(value) ?? 'null' }));
  let length = 0;
  const fields = all.filter(({ name, before: old = '', value }) => {
    length += name.length + old.length + value.length;
    return length <= mostCharacters;
  });
  return {
    seq,
    kind: type.slice(dot + 1),
    singular: type.slice(0, dot),
    id: record.get('id') ?? '',
    at,
    by,
    fields,
    more: all.length - fields.length,
  };
}

/** A long text is cut; of another long value only its kind is said. */
function shortened(value: JsonText | undefined): JsonText | undefined {
  if (value === undefined || value.length <= mostCharacters / 3) return value;
  return value.startsWith('"') ? JSON.stringify(`${JSON.parse(value).slice(0, 80)} \u2026`) : '"(long)"';
}
