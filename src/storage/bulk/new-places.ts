/** The places of the records that a bulk adds, by their numbers, which ascend. */
import { LineNumbers } from '../../domain/input/line-numbers.ts';

export class NewPlaces {
  /** Numbers without a gap, and the records before them. PostgreSQL uses up numbers for records that it takes back. */
  readonly #runs: { readonly first: number; readonly before: number }[] = [];
  readonly #places = new LineNumbers();
  #count = 0;
  #next = 0;

  /** `place` is counted from 1. */
  add(recordId: number, place: number): void {
    if (recordId !== this.#next) this.#runs.push({ first: recordId, before: this.#count });
    this.#next = recordId + 1;
    this.#count++;
    this.#places.add(place);
  }

  /** Undefined if the record was there before. */
  of(recordId: number): number | undefined {
    const run = this.#runs.findLast(({ first }) => first <= recordId);
    return run && this.#places.lineOf(run.before + recordId - run.first + 1);
  }
}
