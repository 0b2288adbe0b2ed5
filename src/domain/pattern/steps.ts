/**
 * A graph for walks with sets of nodes: each character of a text leads from the nodes that have read the one before it to those
 * that read it. A word has 32 nodes of a set, so a step takes about as many words as the graph has, whatever the set is.
 */
import type { Alphabet } from './alphabet.ts';
import { NoGraph, type Spend } from './budget.ts';
import { end, type Graph } from './graph.ts';
import { reachIn, type Side } from './reach.ts';

/** Four bytes each, on every thread. */
const maxWords = 65_536;
/** What a character takes besides words takes as long as so many of them. */
const overhead = 16;

/** From a character to the next one, of a known class, or to the end of the text. */
export type Step = {
  /** A match of no character is between them. */
  readonly isMatch: boolean;
  /** Nodes that a match ends after. */
  readonly last: Words;
  /** Nodes that a match begins with, and which read the next character. */
  readonly first: Words;
  /** Nodes that read the next character and follow the node with the next number. Most do: a graph is numbered from its end. */
  readonly chained: Int32Array;
  /** All other edges. Each has the index of its `to`, the index of the next edge, words `from`, and words `to`. */
  readonly jumps: Int32Array;
};

/** The words of a set that are not 0, each after its index. */
export type Words = Int32Array;

/** By the class of the next character, and for the end of the text. */
export type Steps = readonly Step[];

export type Machine = {
  readonly alphabet: Alphabet;
  /** Of a set, in words. */
  readonly length: number;
  readonly atStart: Steps;
  /** After a character of each class. */
  readonly after: readonly Steps[];
  /** A match begins at the start of a text. */
  readonly isAnchored: boolean;
  /** The most words of a step: each takes about two nanoseconds. */
  readonly words: number;
};

/** Nodes that lead to the same ones have one jump together: each node of a count can leave it. */
type Jump = { readonly from: number[]; readonly to: readonly number[] };

export function machineOf(graph: Graph, alphabet: Alphabet, spend: Spend): Machine {
  const { count, classesOf, sides } = alphabet;
  const kinds = [...new Set(sides)];
  const readers = graph.nodes.flatMap((node, number) => (node.kind === 'characters' ? [{ ...node, number }] : []));
  const numbers = new Int32Array(graph.nodes.length);
  for (const [reader, { number }] of readers.entries()) numbers[number] = reader;
  const length = Math.ceil(readers.length / 32);
  if (length * count > maxWords) throw new NoGraph('is too large');

  /** The nodes that read each class. */
  const reading = sides.map(() => new Int32Array(length));
  for (const [reader, { set }] of readers.entries()) {
    const classes = classesOf[set] ?? [];
    spend(classes.length);
    for (const one of classes) add(reader, reading[one]);
  }

  const reach = reachIn(graph, spend);
  function stepsBetween(before: Side, next: Side): (only: Int32Array) => Step {
    const begin = reach([graph.start], before, next);
    const last: number[] = [];
    const chained = new Int32Array(length);
    const jumps = new Map<string, Jump>();
    for (const [reader, node] of before === 'edge' ? [] : readers.entries()) {
      const to: number[] = [];
      for (const reached of reach([node.next], before, next)) {
        const other = numbers[reached] ?? 0;
        if (reached === end) last.push(reader);
        else if (other === reader - 1) add(other, chained);
        else to.push(other);
      }
      if (to.length === 0) continue;
      const key = to.sort().join();
      const jump = jumps.get(key);
      if (jump === undefined) jumps.set(key, { from: [reader], to });
      else jump.from.push(reader);
    }
    const common = { isMatch: begin.includes(end), last: wordsOf(last) };
    const first = wordsOf(begin.filter((node) => node !== end).map((node) => numbers[node] ?? 0));
    const ways = Array.from(jumps.values(), ({ from, to }) => [wordsOf(from), wordsOf(to)] as const);
    return (only) => {
      spend(length + ways.length);
      const flat: number[] = [];
      for (const [from, all] of ways) {
        const to = among(only, all);
        const place = flat.length + 2 + from.length;
        spend(from.length + to.length);
        if (to.length > 0) flat.push(place, place + to.length, ...from, ...to);
      }
      return {
        ...common,
        first: among(only, first),
        chained: chained.map((word, at) => word & (only[at] ?? 0)),
        jumps: Int32Array.from(flat),
      };
    };
  }

  const ends = [...sides, 'edge' as const];
  function stepsAfter(before: Side): Steps {
    const between = new Map([...kinds, 'edge' as const].map((next) => [next, stepsBetween(before, next)]));
    return ends.flatMap((next, one) => between.get(next)?.(reading[one] ?? new Int32Array(length)) ?? []);
  }
  const steps = new Map(kinds.map((before) => [before, stepsAfter(before)]));
  const distinct = [...steps.values()];
  return {
    alphabet,
    length,
    atStart: stepsAfter('edge'),
    after: sides.map((before) => steps.get(before) ?? []),
    isAnchored: distinct.flat().every(({ isMatch, first }) => !isMatch && first.length === 0),
    words: overhead + length + distinct.flatMap((some) => some.slice(0, count)).reduce(most, 0),
  };
}

/** The most words of a step besides those of a set. */
const most = (so: number, { last, first, jumps }: Step) =>
  Math.max(so, (last.length + first.length + jumps.length) / 2);

function add(member: number, set: Int32Array | undefined): void {
  if (set !== undefined) set[member >> 5] = (set[member >> 5] ?? 0) | (1 << (member & 31));
}

function wordsOf(members: readonly number[]): Words {
  const words = new Map<number, number>();
  for (const one of members) words.set(one >> 5, (words.get(one >> 5) ?? 0) | (1 << (one & 31)));
  return Int32Array.from([...words].flat());
}

/** The members that are in the set. */
function among(set: Int32Array, words: Words): Words {
  const found: number[] = [];
  for (let at = 0; at < words.length; at += 2) {
    const place = words[at] ?? 0;
    const bits = (words[at + 1] ?? 0) & (set[place] ?? 0);
    if (bits !== 0) found.push(place, bits);
  }
  return Int32Array.from(found);
}
