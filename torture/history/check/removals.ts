/**
 * Removals whose record is not known, because several records have had the external id. Each of these records may have
 * been removed by the first such removal that was not answered before the record was first used, or at any time after it.
 */
import type { Operation } from '../clients/operation.ts';

export class Removals {
  /** By collection and external id. */
  readonly #answered = new Map<string, Operation[]>();
  /** The earliest removal with an unknown outcome, which may still happen. */
  readonly #unknown = new Map<string, Operation>();
  readonly #sorted = new Map<string, { readonly answered: number; readonly earliest: Operation }[]>();

  add(operation: Operation): void {
    const { request, outcome } = operation;
    if (request.kind !== 'remove') return;
    const key = `${request.collection} ${request.external}`;
    if (outcome.kind === 'unknown') this.#unknown.set(key, earlier(this.#unknown.get(key), operation));
    if (outcome.kind !== 'ok') return;
    const known = this.#answered.get(key);
    if (known === undefined) this.#answered.set(key, [operation]);
    else known.push(operation);
  }

  /** At most one for each external id, as an operation that may have happened. To be called after the last `add`. */
  from(externals: ReadonlySet<string>, start: number): Operation[] {
    return [...externals].flatMap((external) => {
      const answered = firstFrom(this.#inOrder(external), start);
      const unknown = this.#unknown.get(external);
      const first = answered === undefined ? unknown : earlier(unknown, answered);
      return first === undefined
        ? []
        : [{ ...first, outcome: { kind: 'unknown', why: 'the record is not known' } as const }];
    });
  }

  /** By the time of the answer, each with the earliest invoked of itself and the later ones. */
  #inOrder(external: string): { readonly answered: number; readonly earliest: Operation }[] {
    const known = this.#sorted.get(external);
    if (known !== undefined) return known;
    const all = (this.#answered.get(external) ?? []).toSorted((left, right) => right.answered - left.answered);
    let earliest: Operation | undefined;
    const sorted = all.map((operation) => {
      earliest = earlier(earliest, operation);
      return { answered: operation.answered, earliest };
    });
    sorted.reverse();
    this.#sorted.set(external, sorted);
    return sorted;
  }
}

function earlier(left: Operation | undefined, right: Operation): Operation {
  return left !== undefined && left.invoked <= right.invoked ? left : right;
}

function firstFrom(
  sorted: readonly { readonly answered: number; readonly earliest: Operation }[],
  start: number,
): Operation | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.answered ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return sorted[low]?.earliest;
}
