/** Walks over a graph between two characters of a text. */
import type { Spend } from './budget.ts';
import type { Graph } from './graph.ts';
import type { Assertion } from './syntax.ts';

/** What is beside a place in the text: its start or end, a character that `\b` looks for, or another one. */
export type Side = 'edge' | 'word' | 'other';

/** The nodes that read a character, and `end`, that walks from these nodes come to at a place between two sides. */
export type Reach = (from: readonly number[], before: Side, next: Side) => number[];

export function reachIn({ nodes }: Graph, spend: Spend): Reach {
  /** The search that has seen each node last. */
  const seenBy = new Uint32Array(nodes.length);
  let searches = 0;
  return (from, before, next) => {
    const search = ++searches;
    const reached: number[] = [];
    let steps = 0;
    const rest = [...from];
    for (let number = rest.pop(); number !== undefined; number = rest.pop()) {
      // Also for one that was seen: several ways can lead to it.
      steps++;
      if (seenBy[number] === search) continue;
      seenBy[number] = search;
      const node = nodes[number];
      if (node?.kind === 'either') rest.push(...node.next);
      else if (node?.kind !== 'assertion') reached.push(number);
      else if (holds(node.assertion, before, next)) rest.push(node.next);
    }
    spend(steps);
    return reached;
  };
}

function holds(assertion: Assertion, before: Side, next: Side): boolean {
  if (assertion === '^') return before === 'edge';
  if (assertion === '$') return next === 'edge';
  return ((before === 'word') !== (next === 'word')) === (assertion === '\\b');
}
