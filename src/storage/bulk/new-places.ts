/** The places of the records that a bulk adds, by their numbers: without a gap, in order. */
import { LineNumbers } from '../../domain/input/line-numbers.ts';

export class NewPlaces {
  #first = 0;
  readonly #places = new LineNumbers();

  /** `place` is counted from 1. */
  add(recordId: number, place: number): void {
    this.#first ||= recordId;
    this.#places.add(place);
  }

  /** Undefined if the record was there before. */
  of(recordId: number): number | undefined {
    const isNew = this.#first > 0 && recordId >= this.#first;
    return isNew ? this.#places.lineOf(recordId - this.#first + 1) : undefined;
  }
}
