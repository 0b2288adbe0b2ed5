/** One operation as it was sent: its members as JSON texts, so that no digit is lost, and the mistakes in them. */
import { exactInteger } from '../../exact/integer.ts';
import { type JsonText, kindOf, membersOf, stringOf } from '../../exact/json-text.ts';
import { Failure, type Problem } from '../errors.ts';

/** The members and elements that lead from the operation to a place in it. */
export type Place = readonly (string | number)[];

/** The server assigns no higher number: a higher one is as good as this one. */
const highest = BigInt(Number.MAX_SAFE_INTEGER);

export class SentOperation {
  readonly isObject: boolean;
  /** None if it is not an object. */
  readonly members: ReadonlyMap<string, JsonText>;

  /** The mistakes are added to `problems`. */
  constructor(
    readonly index: number,
    text: JsonText,
    readonly problems: Problem[],
  ) {
    this.isObject = kindOf(text) === 'object';
    this.members = membersOf(text);
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

  /** The text of a member that is required. */
  required(name: string): JsonText | undefined {
    return this.members.get(name) ?? this.mistake([name], 'is required');
  }

  /** A member that is an object. */
  object(name: string): JsonText | undefined {
    const text = this.required(name);
    return text === undefined || kindOf(text) === 'object' ? text : this.mistake([name], 'must be an object');
  }

  text(name: string): string | undefined {
    const text = this.required(name);
    if (text === undefined) return undefined;
    return kindOf(text) === 'string' ? stringOf(text) : this.mistake([name], 'must be a string');
  }

  whole(text: JsonText, least: number, at: Place, expected: string): number | undefined {
    const value = exactInteger(text);
    if (value === 'out of range' && !text.startsWith('-')) return Number(highest);
    if (typeof value !== 'bigint' || value < least) return this.mistake(at, `must be ${expected}`);
    return Number(value > highest ? highest : value);
  }
}
