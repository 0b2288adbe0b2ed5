/** Clients that add, change and delete records, some of them several in one transaction. */
import type { Random } from '../../test/support/data/random.ts';
import { collection, newPatch, newRecord } from './loans.ts';
import type { Sent, Service } from './service.ts';

/** Deletions keep about as many records. */
export const usualCount = 300;
const writers = 8;

export class Writers {
  answered = 0;
  #ids: number[];

  constructor(
    readonly service: Service,
    ids: readonly number[],
  ) {
    this.#ids = [...ids];
  }

  /** Resolves when `isOver`, and each writer has got the answer to its last request, or has given it up. */
  async write(isOver: () => boolean): Promise<void> {
    const one = async () => {
      while (!isOver()) await this.#writeOnce();
    };
    await Promise.all(Array.from({ length: writers }, one));
  }

  async #writeOnce(): Promise<void> {
    const answer = await this.service.send(this.#next(this.service.random));
    if (answer === undefined) return;
    this.answered++;
    if (answer.status === 201) this.#ids.push((JSON.parse(answer.text) as { readonly id: number }).id);
  }

  #next(random: Random): Sent {
    const kind = random.weighted([
      [3, 'create'],
      [9, 'update'],
      [this.#ids.length > usualCount ? 6 : 1, 'delete'],
      [3, 'transaction'],
    ] as const);
    if (kind === 'create') return { method: 'POST', path: collection, body: newRecord(random) };
    if (kind === 'transaction')
      return { method: 'POST', path: 'transactions', body: { operations: this.#operations(random) } };
    const id = random.pick(this.#ids);
    if (kind === 'update') return { method: 'PATCH', path: `${collection}/${id}`, body: newPatch(random) };
    this.#ids = this.#ids.filter((one) => one !== id);
    return { method: 'DELETE', path: `${collection}/${id}` };
  }

  #operations(random: Random): readonly object[] {
    const create = { op: 'create', collection, record: newRecord(random) };
    // Deleted ones make it fail as a whole.
    const updates = Array.from({ length: 1 + random.below(4) }, () => ({
      op: 'update',
      collection,
      id: random.pick(this.#ids),
      record: newPatch(random),
    }));
    return [
      create,
      ...updates,
      { op: 'delete', collection, where: { days: random.below(30), moment: { is: 'null' } } },
    ];
  }
}
