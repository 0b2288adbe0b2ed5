/** What a follower of a filtered feed knows: a list that was read once, and the changes that were applied to it. */

export type Loan = { readonly id: number; readonly version: number; readonly moment: number | null };
type Change = { readonly seq: number; readonly match: string; readonly record: Loan };

export class Replica {
  /** The first change that does not fit the list. */
  complaint: string | undefined;
  /** Of the marker. */
  moment = -1;
  readonly #records = new Map<number, string>();

  constructor(list: readonly Loan[]) {
    for (const record of list) this.#put(record);
  }

  /** Exactly what `textOf` says of an equal list. */
  get text(): string {
    return [...this.#records]
      .sort(([one], [other]) => one - other)
      .map(([, record]) => record)
      .join('\n');
  }

  /** An event of the feed, one character for each byte. */
  apply(event: string): void {
    const { seq, match, record } = JSON.parse(Buffer.from(event, 'latin1').toString()) as Change;
    const isIn = this.#records.has(record.id);
    if ((match === 'entered') === isIn)
      this.complaint ??= `match: change ${seq} is ${match}, and loan ${record.id} was ${isIn ? 'in the list' : 'not in it'}`;
    if (match === 'left') this.#records.delete(record.id);
    else this.#put(record);
  }

  #put(record: Loan): void {
    this.#records.set(record.id, JSON.stringify(record));
    if (record.moment !== null) this.moment = record.moment;
  }
}

export function textOf(list: readonly Loan[]): string {
  return new Replica(list).text;
}
