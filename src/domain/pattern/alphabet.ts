/** Characters that a pattern does not tell apart are one class, so that its table has a column for each class alone. */
import type { Spend } from './budget.ts';
import { lastCharacter, pairs, wordCharacters } from './characters.ts';
import type { Graph } from './graph.ts';
import type { Side } from './reach.ts';

export type Alphabet = {
  readonly count: number;
  /** The classes of each set of the graph. */
  readonly classesOf: readonly (readonly number[])[];
  /** What the characters of each class are to `\b`. */
  readonly sides: readonly Side[];
  /** Classes of 256 characters each, those that were needed. */
  readonly pages: readonly Uint16Array[];
  newPage(number: number): Uint16Array;
};

const pageSize = 256;

export function alphabetOf(graph: Graph, spend: Spend): Alphabet {
  const hasWords = graph.nodes.some((node) => node.kind === 'assertion' && /b/i.test(node.assertion));
  const sets = hasWords ? [...graph.sets, wordCharacters] : graph.sets;
  spend(sets.reduce((sum, { length }) => sum + length, 0));
  const borders = new Set([0, ...sets.flatMap((set) => pairs(set).flatMap(([first, last]) => [first, last + 1]))]);
  borders.delete(lastCharacter + 1);
  const starts = Int32Array.from(borders).sort();
  /** The sets that each range is in, as text. */
  const signatures = Array.from(starts, () => '');
  for (const [number, set] of sets.entries()) {
    for (const [first, last] of pairs(set)) {
      for (let at = rangeOf(first, starts); (starts[at] ?? Number.POSITIVE_INFINITY) <= last; at++) {
        spend(1);
        signatures[at] += `${number},`;
      }
    }
  }
  const distinct = [...new Set(signatures)];
  const numbers = new Map(distinct.map((signature, number) => [signature, number]));
  const classes = Uint16Array.from(signatures, (signature) => numbers.get(signature) ?? 0);
  const classesOf: number[][] = sets.map(() => []);
  for (const [number, signature] of distinct.entries())
    for (const set of signature.split(',').slice(0, -1)) classesOf[Number(set)]?.push(number);
  const words = new Set(hasWords ? classesOf.at(-1) : []);
  const sides = distinct.map((_, one): Side => (words.has(one) ? 'word' : 'other'));

  const pages: Uint16Array[] = [];
  /** By class. Most pages have one, and share what they have: a text must not fill memory with pages. */
  const uniform: Uint16Array[] = [];
  function newPage(number: number): Uint16Array {
    const first = number * pageSize;
    const [from, to] = [rangeOf(first, starts), rangeOf(first + pageSize - 1, starts)];
    const known = from === to ? uniform[classes[from] ?? 0] : undefined;
    const page = known ?? new Uint16Array(pageSize);
    if (known === undefined)
      for (let range = from; range <= to; range++)
        page.fill(classes[range] ?? 0, Math.max(0, (starts[range] ?? 0) - first));
    if (from === to) uniform[classes[from] ?? 0] = page;
    pages[number] = page;
    return page;
  }
  return { count: distinct.length, classesOf, sides, pages, newPage };
}

/** The last range that starts at the character or before it. */
function rangeOf(character: number, starts: Int32Array): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= character) low = middle;
    else high = middle - 1;
  }
  return low;
}
