/** The records that operations create under a name, for later operations: `"as":"loan"`, and then `{"created":"loan"}`. */
import { similar } from '../input/suggest.ts';
import type { Collection } from '../record/collection.ts';
import type { Place, SentOperation } from './sent-operation.ts';

/** In UTF-16 units. */
export const maxName = 100;

export class CreatedRecords {
  /** The collection is undefined if it is not known. */
  readonly #byName = new Map<string, { readonly operation: number; readonly collection: Collection | undefined }>();

  /** Reads `as`. */
  add(sent: SentOperation, collection: Collection | undefined): void {
    if (!sent.has('as')) return;
    const name = sent.string('as');
    if (name === undefined) return;
    const earlier = this.#byName.get(name);
    if (name === '' || name.length > maxName) sent.mistake(['as'], `must have 1 to ${maxName} characters`);
    else if (earlier !== undefined)
      sent.mistake(['as'], `is the name that operation ${earlier.operation} gives already`);
    else this.#byName.set(name, { operation: sent.index, collection });
  }

  /** The operation that created the record, which must be one of the collection `to`, if that is known. */
  find(value: object, to: string | undefined, sent: SentOperation, at: Place): number | undefined {
    const [member, ...more] = Object.entries(value) as [string, unknown][];
    const name = member?.[0] === 'created' && more.length === 0 ? member[1] : undefined;
    if (typeof name !== 'string')
      return sent.mistake(at, 'must be an id, or {"created":"name"} with the name of an earlier operation');
    const found = this.#byName.get(name);
    const place = [...at, 'created'];
    if (found === undefined)
      return sent.mistake(
        place,
        `is the name of no earlier operation${similar(name, [...this.#byName.keys()]) ?? ': give one with "as"'}`,
      );
    if (found.collection === undefined || to === undefined || found.collection.name === to) return found.operation;
    return sent.mistake(place, `is a record of ${found.collection.name}, and must be one of ${to}`);
  }
}
