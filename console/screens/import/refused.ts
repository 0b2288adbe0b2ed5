/** The refused rows of an import, as a file that can be corrected and imported. */
import { objectOf } from '../../api/json.ts';
import { cellOf } from './csv.ts';
import { type Entry, reasonOf } from './entry.ts';
import type { Layout } from './layout.ts';

/** A row for the screen. */
export type RefusedRow = { readonly line: number; readonly reason: string };

const mostShown = 100;

export class Refused {
  #count = 0;
  #shown: readonly RefusedRow[] = [];
  #texts: string[] = [];

  constructor(readonly layout: Layout) {}

  get count(): number {
    return this.#count;
  }

  /** The first ones. */
  get shown(): readonly RefusedRow[] {
    return this.#shown;
  }

  /** Returns the rows as text. */
  add(entries: readonly Entry[]): string {
    const text = entries.map((entry) => `${this.#row(entry)}\n`).join('');
    const rows = entries.map(({ line, problems }) => ({ line, reason: reasonOf(problems) }));
    this.restore(text, entries.length, rows);
    return text;
  }

  /** Takes rows that were added in an earlier page. */
  restore(text: string, count: number, shown: readonly RefusedRow[]): void {
    if (count === 0) return;
    this.#texts.push(text);
    this.#count += count;
    this.#shown = [...this.#shown, ...shown].slice(0, mostShown);
  }

  file(): Blob {
    const { format, header, separator } = this.layout;
    const head = format === 'csv' ? `${['_line', '_reason', header].join(separator)}\n` : '';
    return new Blob([head, ...this.#texts]);
  }

  #row({ line, source, values, problems }: Entry): string {
    const { format, separator } = this.layout;
    const reason = reasonOf(problems);
    if (format === 'csv') return [String(line), cellOf(reason, separator), source].join(separator);
    const about = [
      ['_line', String(line)],
      ['_reason', JSON.stringify(reason)],
    ] as const;
    // What is not an object cannot have members in front.
    const isObject = values.size > 0;
    return isObject
      ? `${objectOf(about).slice(0, -1)},${source.trim().slice(1)}`
      : objectOf([...about, ['_source', JSON.stringify(source)]]);
  }
}
