/**
 * The rules of a list that only grows: every list is the beginning of every longer one. So all bytes are compared with the longest list
 * so far, and only records after its end are looked up.
 */
import { excerpt } from './answers.ts';
import type { ListRules, SentWrites, Write } from './sent-writes.ts';

export class AppendedList implements ListRules {
  /** The longest list, without its last bracket. */
  #longest: Buffer;
  #bytes: number;
  /** The added records of the longest list. */
  readonly #added: Write[] = [];
  /** The lengths at which a list may end, and how many added records it has then. */
  readonly #ends = new Map<number, number>();
  /** Those that were sent and are in no list yet, by their text. */
  readonly #unseen = new Map<string, Write>();
  readonly #sent: SentWrites;
  /** When the last of #added was sent. */
  #lastSentAt = 0;

  /** `seeded` are the records before the first write. */
  constructor(seeded: readonly string[], sent: SentWrites) {
    this.#longest = Buffer.from(`[${seeded.join(',')}`);
    this.#bytes = this.#longest.byteLength;
    this.#ends.set(this.#bytes, 0);
    this.#sent = sent;
  }

  check(list: Buffer, askedAt: number): string | undefined {
    for (const write of this.#sent.take()) this.#unseen.set(write.text, write);
    if (list.at(-1) !== 0x5d) return `does not end with ]: ${excerpt(list.subarray(-40))}`;
    const records = list.subarray(0, -1);
    const common = Math.min(records.byteLength, this.#bytes);
    if (!records.subarray(0, common).equals(this.#longest.subarray(0, common)))
      return `differs from an earlier list at ${this.#difference(records)}`;
    if (records.byteLength > this.#bytes) {
      const wrong = this.#extend(records);
      if (wrong !== undefined) return wrong;
    }
    const added = this.#ends.get(records.byteLength);
    if (added === undefined) return `ends inside a record: ${excerpt(records.subarray(-40))}`;
    return this.#missing(added, askedAt);
  }

  /** Takes over the records after the end of the longest list. */
  #extend(records: Buffer): string | undefined {
    const tail = records.toString('latin1', this.#bytes);
    if (!tail.startsWith(',{') || !tail.endsWith('}')) return `does not end with records: ${tail.slice(0, 80)}`;
    const texts = tail.slice(2, -1).split('},{');
    const unknown = texts.find((text) => !this.#unseen.has(`{${text}}`));
    if (unknown !== undefined) return `has a record that was not sent, or has it twice: ${unknown.slice(0, 80)}`;
    let end = this.#bytes;
    for (const text of texts) {
      const write = this.#unseen.get(`{${text}}`);
      if (write === undefined) return `has a record twice: ${text}`;
      if (this.#sent.answeredAt(write) < this.#lastSentAt)
        return `has ${text} after a record that was sent after its answer`;
      this.#unseen.delete(write.text);
      this.#lastSentAt = Math.max(this.#lastSentAt, write.sentAt);
      end += 1 + write.text.length;
      this.#ends.set(end, this.#added.push(write));
    }
    if (this.#longest.byteLength < records.byteLength) {
      const larger = Buffer.alloc(2 * records.byteLength);
      this.#longest.copy(larger);
      this.#longest = larger;
    }
    records.copy(this.#longest, this.#bytes, this.#bytes);
    this.#bytes = records.byteLength;
    return undefined;
  }

  /** A record that was answered before the list was asked for is in it. */
  #missing(added: number, askedAt: number): string | undefined {
    for (const write of [...this.#added.slice(added), ...this.#unseen.values()])
      if (this.#sent.answeredAt(write) < askedAt) return `misses ${write.text}, which was answered before`;
    return undefined;
  }

  #difference(records: Buffer): string {
    let at = 0;
    while (records[at] === this.#longest[at]) at++;
    const [got, expected] = [records, this.#longest].map((bytes) => excerpt(bytes.subarray(at)));
    return `byte ${at}: expected ${expected}, got ${got}`;
  }
}
