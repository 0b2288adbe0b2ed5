/** A pattern as a graph: a text matches if a walk over its characters leads to the node `end`. */
import { NoGraph, type Spend } from './budget.ts';
import type { Characters } from './characters.ts';
import type { Assertion, Part } from './syntax.ts';

export type Node =
  | { readonly kind: 'end' }
  /** Reads a character of the set. */
  | { readonly kind: 'characters'; readonly set: number; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'either'; next: readonly number[] };

export type Graph = {
  /** A walk begins at `start` and ends at `end`. */
  readonly nodes: readonly Node[];
  readonly start: number;
  readonly sets: readonly Characters[];
};

export const end = 0;

/** A count such as {1000} is that many nodes. */
const maxNodes = 25_000;

export function graphOf(pattern: Part, spend: Spend): Graph {
  const nodes: Node[] = [{ kind: 'end' }];
  const sets: Characters[] = [];
  /** The copies of a counted part have one set. */
  const setNumbers = new Map<Characters, number>();

  function add(node: Node): number {
    if (nodes.length >= maxNodes) throw new NoGraph('is too large');
    return nodes.push(node) - 1;
  }

  function numberOf(set: Characters): number {
    const number = setNumbers.get(set) ?? sets.push(set) - 1;
    setNumbers.set(set, number);
    return number;
  }

  /** The node that reads the part and continues at `next`. */
  function build(part: Part, next: number): number {
    // Some parts add no node, as in `(?:||){9}` and `a{0}`.
    spend(1);
    if (part.kind === 'characters') return add({ kind: 'characters', set: numberOf(part.set), next });
    if (part.kind === 'assertion') return add({ kind: 'assertion', assertion: part.assertion, next });
    if (part.kind === 'sequence') return part.parts.reduceRight((after, one) => build(one, after), next);
    if (part.kind === 'either') return add({ kind: 'either', next: part.parts.map((one) => build(one, next)) });
    return times(part.part, part.least, atMost(part.part, part.most - part.least, next));
  }

  function times(part: Part, count: number, next: number): number {
    let first = next;
    for (let done = 0; done < count; done++) {
      const before = build(part, first);
      // A part that reads nothing and asks for nothing.
      if (before === first) break;
      first = before;
    }
    return first;
  }

  function atMost(part: Part, count: number, next: number): number {
    if (count === Number.POSITIVE_INFINITY) {
      const loop: Node = { kind: 'either', next: [] };
      const number = add(loop);
      loop.next = [build(part, number), next];
      return number;
    }
    let first = next;
    for (let done = 0; done < count; done++) first = add({ kind: 'either', next: [build(part, first), next] });
    return first;
  }

  const start = build(pattern, end);
  return { nodes, start, sets };
}
