/** Adds rows up in groups, exactly and in bounded memory. */
import { type Amount, requireWithin } from '../../../domain/summary/bounds.ts';
import { DoubleSum } from '../../../domain/summary/double-sum.ts';
import type { Group, Tallied, Tally } from '../../../domain/summary/summary.ts';
import type { Field, FieldValue, SqliteValue } from '../../../domain/types/type.ts';
import { compareStored } from '../../../domain/where/match.ts';
import type { Row, Value } from './slices.ts';

export type TalliedField = Tallied & { readonly field: Field };

type OpenGroup = { readonly values: readonly Value[]; count: number; readonly tallies: readonly FieldTally[] };

export class Tallies {
  readonly #groups = new Map<Value, OpenGroup>();
  readonly #amount = { groups: 0, values: 0, bytes: 0 };

  constructor(
    readonly groupFields: readonly Field[],
    readonly tallied: readonly TalliedField[],
  ) {
    // Without fields to group by there is one group, also of no records.
    if (groupFields.length === 0) this.#open('', []);
  }

  /** The values of the groups, then of the tallied fields. Throws `invalid_query` beyond the bounds. */
  add(row: Row): void {
    const size = this.groupFields.length;
    const values: Value[] = [];
    for (let at = 0; at < size; at++) values.push(canonical(this.groupFields[at], row[at] ?? null));
    const key = keyOf(values);
    const group = this.#groups.get(key) ?? this.#open(key, values);
    group.count++;
    for (let at = 0; at < this.tallied.length; at++) {
      const value = canonical(this.tallied[at]?.field, row[size + at] ?? null);
      if (value !== null) group.tallies[at]?.add(value);
    }
  }

  *groups(): Generator<Group, void> {
    for (const { values, count, tallies } of this.#groups.values())
      yield {
        values: values.map((value, at) => unbound(this.groupFields[at], value)),
        count,
        tallies: tallies.map((tally) => tally.result),
      };
  }

  #open(key: Value, values: readonly Value[]): OpenGroup {
    const tallies = this.tallied.map((one) => new FieldTally(one, this.#grow));
    const group = { values, count: 0, tallies };
    this.#groups.set(key, group);
    this.#grow({
      groups: 1,
      values: 0,
      bytes: values.reduce<number>((sum, value, at) => sum + bytesOf(this.groupFields[at], value), 0),
    });
    return group;
  }

  readonly #grow = ({ groups, values, bytes }: Amount): void => {
    this.#amount.groups += groups;
    this.#amount.values += values;
    this.#amount.bytes += bytes;
    requireWithin(this.#amount);
  };
}

class FieldTally {
  #count = 0;
  #sum = 0n;
  #doubles: DoubleSum | undefined;
  #min: SqliteValue | null = null;
  #max: SqliteValue | null = null;
  /** In bytes: of the longest text so far, which may be the first or the last one. */
  #longest = 0;
  #seen: Set<SqliteValue> | undefined;

  constructor(
    readonly of: TalliedField,
    readonly grow: (more: Amount) => void,
  ) {}

  add(value: SqliteValue): void {
    this.#count++;
    const { sum, range, distinct } = this.of;
    if (sum) this.#addToSum(value);
    if (range) this.#addToRange(value);
    if (distinct) this.#addToSeen(value);
  }

  get result(): Tally {
    const { field } = this.of;
    return {
      count: this.#count,
      sum: this.#doubles?.units ?? this.#sum,
      min: unbound(field, this.#min),
      max: unbound(field, this.#max),
      distinct: this.#seen?.size ?? 0,
    };
  }

  #addToSum(value: SqliteValue): void {
    if (typeof value === 'bigint') this.#sum += value;
    else {
      this.#doubles ??= new DoubleSum();
      this.#doubles.add(Number(value));
    }
  }

  #addToRange(value: SqliteValue): void {
    const bytes = bytesOf(this.of.field, value);
    if (bytes > this.#longest) {
      this.grow({ groups: 0, values: 0, bytes: bytes - this.#longest });
      this.#longest = bytes;
    }
    if (this.#min === null || compareStored(value, this.#min) < 0) this.#min = value;
    if (this.#max === null || compareStored(value, this.#max) > 0) this.#max = value;
  }

  #addToSeen(value: SqliteValue): void {
    this.#seen ??= new Set();
    const { size } = this.#seen;
    this.#seen.add(typeof value === 'string' ? shortened(value) : value);
    if (this.#seen.size > size) this.grow({ groups: 0, values: 1, bytes: 0 });
  }
}

/** A double without a fraction is stored as an integer, and one of those with all digits is a bigint. */
function canonical(field: Field | undefined, value: Value): Value {
  return value !== null && field?.precision === 'binary' ? Number(value) : value;
}

function unbound(field: Field | undefined, value: Value): FieldValue {
  return value === null || field === undefined ? null : field.sqlite.unbind(value);
}

/** No text contains the separator. */
function keyOf(values: readonly Value[]): Value {
  const [only = null] = values;
  return values.length === 1 ? only : values.map((value) => (value === null ? '' : `=${value}`)).join('\0');
}

/** Of a value that can be large. */
function bytesOf(field: Field | undefined, value: Value): number {
  return typeof value === 'string' && field?.postgres.size !== undefined ? Buffer.byteLength(value) : 0;
}

/** A longer text is kept as its digest, with a character in front that no text has. */
const longestKept = 64;

function shortened(text: string): string {
  if (text.length <= longestKept) return text;
  return `\0${new Bun.CryptoHasher('sha256').update(text).digest('base64')}`;
}
