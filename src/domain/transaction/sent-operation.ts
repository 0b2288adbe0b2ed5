/** One operation as it was sent, with every digit, and the mistakes in it. */
import { exactInteger } from '../../exact/integer.ts';
import { spelled } from '../../exact/numeral.ts';
import { Failure, type Problem } from '../errors.ts';
import { isObject, type ParsedText } from '../input/json.ts';

/** The members and elements that lead from the operation to a place in it. */
export type Place = readonly (string | number)[];

/** The server assigns no higher number: a higher one is as good as this one. */
const highest = BigInt(Number.MAX_SAFE_INTEGER);

export class SentOperation {
  readonly isObject: boolean;
  /** None if it is not an object. */
  readonly members: Readonly<Record<string, unknown>>;

  /** The mistakes are added to `problems`. */
  constructor(
    readonly index: number,
    readonly json: ParsedText,
    readonly problems: Problem[],
  ) {
    const { value } = json;
    this.isObject = isObject(value);
    this.members = isObject(value) ? value : {};
    if (!this.isObject) this.mistake([], 'must be an object with "op" and "collection"');
  }

  /** Returns undefined, so that a reader can return it where there is no value. */
  mistake(at: Place, message: string): undefined {
    const path = ['operations', this.index, ...at];
    this.problems.push({ field: String(path.at(-1)), at: path.slice(0, -1), message });
    return undefined;
  }

  /** Adds the problems of a record. `placeOf` leads to the member, or to the record for none. Throws any other error. */
  mistakesIn(error: unknown, placeOf: (field: string | undefined) => Place): undefined {
    if (!(error instanceof Failure) || error.problems === undefined) throw error;
    for (const { field, message } of error.problems) this.mistake(placeOf(field), message);
    return undefined;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.members, name);
  }

  /** The value of a member. */
  required(name: string): unknown {
    return this.has(name) ? this.members[name] : this.mistake([name], 'is required');
  }

  /** A member that is an object. */
  object(name: string): ParsedText | undefined {
    const value = this.required(name);
    if (value === undefined) return undefined;
    return isObject(value) ? this.json.member(name) : this.mistake([name], 'must be an object');
  }

  string(name: string): string | undefined {
    const value = this.required(name);
    if (value === undefined) return undefined;
    return typeof value === 'string' ? value : this.mistake([name], 'must be a string');
  }

  /** A whole number in `json`. */
  whole(json: ParsedText, name: string, least: number, at: Place, expected: string): number | undefined {
    const sent = (json.value as Readonly<Record<string, unknown>>)[name];
    const text = typeof sent === 'number' ? (json.literal(name) ?? spelled(sent)) : '';
    const value = exactInteger(text);
    if (value === 'out of range' && !text.startsWith('-')) return Number(highest);
    if (typeof value !== 'bigint' || value < least) return this.mistake(at, `must be ${expected}`);
    return Number(value > highest ? highest : value);
  }
}
