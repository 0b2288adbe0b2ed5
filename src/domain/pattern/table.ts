/**
 * A pattern as a table: a state and the class of a character give the next state. So each character of a text costs one step,
 * whatever the pattern and the text are. All states are made in advance; a pattern that needs too many of them has no table.
 */
import { type Alphabet, alphabetOf } from './alphabet.ts';
import { wordCharacters } from './characters.ts';
import { end, type Graph } from './graph.ts';
import { type Assertion, NoTable } from './syntax.ts';

/** Two bytes each, on every thread. */
const maxCells = 100_000;
/** Steps to make a table: some tens of milliseconds. */
const maxSteps = 200_000;

/** The states in which the answer is known. */
const no = 0;
const yes = 1;

/** What is beside a place in the text: its start or end, a character that `\b` looks for, or another one. */
type Side = 'edge' | 'word' | 'other';

export function tableOf(graph: Graph): (text: string) => boolean {
  let steps = 0;
  function spend(count: number): void {
    steps += count;
    if (steps > maxSteps) throw tooMany();
  }
  const hasWords = graph.nodes.some((node) => node.kind === 'assertion' && /b/i.test(node.assertion));
  const alphabet = alphabetOf(hasWords ? [...graph.sets, wordCharacters] : graph.sets, spend);
  const words = new Set(hasWords ? alphabet.classesOf.at(-1) : []);
  const sides = Array.from({ length: alphabet.count }, (_, one): Side => (words.has(one) ? 'word' : 'other'));
  const states = new States(graph, alphabet, sides, spend);
  const first = states.after([], 'edge');
  const width = alphabet.count + 1;
  const cells = new Array<number>(2 * width).fill(no);
  for (let state = yes + 1; state < states.count; state++) {
    cells.push(...states.row(state));
    if (cells.length > maxCells) throw tooMany();
  }
  return matcher(Uint16Array.from(cells), width, first, alphabet);
}

const tooMany = () => new NoTable('needs too many states');

/** The last column of a row is for the end of the text. */
function matcher(cells: Uint16Array, width: number, first: number, { pages, newPage }: Alphabet) {
  return (text: string): boolean => {
    let state = first;
    for (let at = 0; at < text.length && state > yes; at++) {
      let character = text.charCodeAt(at);
      // The text is well-formed, so the other half follows.
      if ((character & 0xfc00) === 0xd800) character = text.codePointAt(at++) ?? 0;
      const page = pages[character >> 8] ?? newPage(character >> 8);
      state = cells[state * width + (page[character & 255] ?? 0)] ?? no;
    }
    return (state > yes ? cells[state * width + width - 1] : state) === yes;
  };
}

/** Each state is the nodes that some texts lead to. A match can begin anywhere, so its first nodes are always among them. */
class States {
  readonly #graph: Graph;
  readonly #alphabet: Alphabet;
  /** Of a place before a character of each class. */
  readonly #sides: readonly Side[];
  readonly #spend: (steps: number) => void;
  readonly #begin: Readonly<Record<Side, ReadonlySet<number>>>;
  readonly #states: { readonly nodes: readonly number[]; readonly before: Side }[] = [];
  readonly #numbers = new Map<string, number>();
  /** The search that has seen each node last. */
  readonly #seenBy: Uint32Array;
  #searches = 0;

  constructor(graph: Graph, alphabet: Alphabet, sides: readonly Side[], spend: (steps: number) => void) {
    this.#graph = graph;
    this.#alphabet = alphabet;
    this.#sides = sides;
    this.#spend = spend;
    this.#seenBy = new Uint32Array(graph.nodes.length);
    const begin = (before: Side) => new Set(this.#reach([graph.start], before, undefined));
    this.#begin = { edge: begin('edge'), word: begin('word'), other: begin('other') };
  }

  get count(): number {
    return yes + 1 + this.#states.length;
  }

  /** The state at these nodes and those that a match begins with. */
  after(nodes: readonly number[], before: Side): number {
    const begin = this.#begin[before];
    const reached = this.#reach(nodes, before, undefined);
    if (reached.includes(end) || begin.has(end)) return yes;
    if (reached.length + begin.size === 0) return no;
    const own = reached.filter((node) => !begin.has(node)).sort((one, other) => one - other);
    const key = `${before} ${String.fromCharCode(...own)}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.count;
    this.#states.push({ nodes: own, before });
    this.#numbers.set(key, number);
    return number;
  }

  /** The next state for each class of characters, and for the end of the text. */
  row(state: number): number[] {
    const { nodes, before } = this.#states[state - yes - 1] ?? { nodes: [], before: 'edge' };
    const here = [...nodes, ...this.#begin[before]];
    const asks = here.some((node) => this.#graph.nodes[node]?.kind === 'assertion');
    const reach = (next: Side) => (asks ? this.#reach(here, before, next) : here);
    const targets = new Map([...new Set(this.#sides)].map((side) => [side, this.#targets(reach(side))]));
    const next = this.#sides.map((side, one) => {
      const found = targets.get(side);
      return found === undefined ? yes : this.after(found.get(one) ?? [], side);
    });
    return [...next, reach('edge').includes(end) ? yes : no];
  }

  /** Where a character of each class leads to; undefined if a match ends before it. */
  #targets(nodes: readonly number[]): ReadonlyMap<number, readonly number[]> | undefined {
    if (nodes.includes(end)) return undefined;
    const targets = new Map<number, number[]>();
    for (const number of nodes) {
      const node = this.#graph.nodes[number];
      if (node?.kind !== 'characters') continue;
      const classes = this.#alphabet.classesOf[node.set] ?? [];
      this.#spend(classes.length);
      for (const one of classes) {
        const known = targets.get(one);
        if (known === undefined) targets.set(one, [node.next]);
        else known.push(node.next);
      }
    }
    return targets;
  }

  /** The nodes that are reached without a character. While the side after the place is not known, its assertions stay. */
  #reach(from: readonly number[], before: Side, next: Side | undefined): number[] {
    const search = ++this.#searches;
    const reached: number[] = [];
    const rest = [...from];
    for (let number = rest.pop(); number !== undefined; number = rest.pop()) {
      if (this.#seenBy[number] === search) continue;
      this.#seenBy[number] = search;
      this.#spend(1);
      const node = this.#graph.nodes[number];
      if (node?.kind === 'either') rest.push(...node.next);
      else if (node?.kind !== 'assertion') reached.push(number);
      else {
        const holds = holdsBetween(node.assertion, before, next);
        if (holds === undefined) reached.push(number);
        else if (holds) rest.push(node.next);
      }
    }
    return reached;
  }
}

/** Undefined if it depends on the side that is not known. */
function holdsBetween(assertion: Assertion, before: Side, next: Side | undefined): boolean | undefined {
  if (assertion === '^') return before === 'edge';
  if (next === undefined) return undefined;
  if (assertion === '$') return next === 'edge';
  return ((before === 'word') !== (next === 'word')) === (assertion === '\\b');
}
