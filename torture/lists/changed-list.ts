/**
 * The rules of a list whose records are added, changed and deleted: it has only records that were sent, in the order of their insertion, and
 * is the state of one moment after it was asked for.
 */
import { excerpt } from './answers.ts';
import type { ListRules, SentWrites, Write } from './sent-writes.ts';

type Version = {
  readonly text: string;
  /** Undefined for a seeded record that was never changed. */
  readonly write: Write | undefined;
  /** Of a seeded record. */
  readonly position: number | undefined;
  /** The next write to the same record. */
  next?: Version;
};

export class ChangedList implements ListRules {
  /** By their text, without its braces. */
  readonly #versions = new Map<string, Version>();
  /** The latest version of each seeded record. */
  readonly #seeded: Version[];
  /** The added records of the longest list. */
  readonly #added: Version[] = [];
  /** Those that were sent and are in no list yet. */
  readonly #unseen = new Set<Version>();
  readonly #sent: SentWrites;

  constructor(seeded: readonly string[], sent: SentWrites) {
    this.#sent = sent;
    this.#seeded = seeded.map((text, position) => ({ text, write: undefined, position }));
    for (const version of this.#seeded) this.#versions.set(version.text.slice(1, -1), version);
  }

  check(list: Buffer, askedAt: number): string | undefined {
    for (const write of this.#sent.take()) this.#learn(write);
    const text = list.toString('latin1');
    if (!text.startsWith('[{') || !text.endsWith('}]'))
      return `is no list of records: ${excerpt(list)} to ${excerpt(list.subarray(-40))}`;
    const shown: Version[] = [];
    for (const inner of text.slice(2, -2).split('},{')) {
      const version = this.#versions.get(inner);
      if (version === undefined) return `has a record that was not sent: ${inner.slice(0, 80)}`;
      shown.push(version);
    }
    const firstAdded = shown.findIndex(({ position }) => position === undefined);
    const seeded = firstAdded < 0 ? shown : shown.slice(0, firstAdded);
    const added = shown.slice(seeded.length);
    return this.#misplaced(seeded) ?? this.#takeAdded(added) ?? this.#torn(seeded, added.length, askedAt);
  }

  #learn(write: Write): void {
    const { text, planned } = write;
    const version: Version = { text, write, position: planned.position };
    if (text !== '') this.#versions.set(text.slice(1, -1), version);
    if (planned.position === undefined) {
      this.#unseen.add(version);
      return;
    }
    const before = this.#seeded[planned.position];
    if (before !== undefined) before.next = version;
    this.#seeded[planned.position] = version;
  }

  #misplaced(seeded: readonly Version[]): string | undefined {
    let last = -1;
    for (const { position = -1, text } of seeded) {
      if (position <= last) return `has ${text} twice or out of order`;
      last = position;
    }
    return undefined;
  }

  /** The added records come after the seeded ones, and no list has them in another order. */
  #takeAdded(added: readonly Version[]): string | undefined {
    for (const [at, version] of added.entries()) {
      if (at === this.#added.length && this.#unseen.delete(version)) this.#added.push(version);
      if (this.#added[at] !== version) return `has ${version.text} twice or out of order`;
    }
    return undefined;
  }

  /** A list has every write that was answered before it was asked for, or before another write that it has was sent. */
  #torn(seeded: readonly Version[], added: number, askedAt: number): string | undefined {
    const missed: Version[] = [];
    let after = askedAt;
    const has = ({ write, next }: Version) => {
      if (write !== undefined) after = Math.max(after, write.sentAt);
      if (next !== undefined) missed.push(next);
    };
    let at = 0;
    for (const [position, latest] of this.#seeded.entries()) {
      const version = seeded[at];
      if (version?.position === position) {
        has(version);
        at++;
      } else if (latest.text === '') has(latest);
      else return `misses ${latest.text}`;
    }
    for (const version of this.#added.slice(0, added)) has(version);
    missed.push(...this.#added.slice(added), ...this.#unseen);
    const torn = missed.find(({ write }) => write !== undefined && this.#sent.answeredAt(write) < after);
    if (torn === undefined) return undefined;
    const { method, path } = torn.write?.planned ?? {};
    return `misses ${method} ${path} ${torn.text}, which was answered before the request, or before another write that it has was sent`;
  }
}
