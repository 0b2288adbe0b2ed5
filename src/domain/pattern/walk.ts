/**
 * Matches a text with sets of nodes. A set that was met before is a state, which remembers the state after each class of characters:
 * so most texts take one look for each character. Some patterns have more sets than there is room for. A text that leads to a new one
 * when there is no room takes a step for each further character.
 */
import type { Machine, Step, Steps, Words } from './steps.ts';

export type Walk = Machine & {
  readonly start: State;
  /** By their steps and sets. */
  readonly states: Map<string, State>;
  readonly maxStates: number;
  /** Room for the sets of one text. */
  readonly sets: readonly [Int32Array, Int32Array];
};

type State = {
  /** The nodes that have read the last character. */
  readonly set: Int32Array;
  readonly steps: Steps;
  /** By the class of the next character. */
  readonly next: (State | undefined)[];
};

/** The states in which the answer is known. */
const no: State = { set: new Int32Array(), steps: [], next: [] };
const yes: State = { ...no };

/** Of all states together: four or eight bytes each, on every thread. */
const maxCells = 30_000;

/** `room` is for words of sets and for next states. */
export function walkOf(machine: Machine, room = maxCells): Walk {
  const { length, alphabet, atStart } = machine;
  const newSet = () => new Int32Array(length + 1);
  return {
    ...machine,
    start: { set: newSet(), steps: atStart, next: [] },
    states: new Map(),
    maxStates: Math.floor(room / (length + alphabet.count)),
    sets: [newSet(), newSet()],
  };
}

/** The text is well-formed. */
export function matches(text: string, walk: Walk): boolean {
  const { alphabet, start, after, sets, isAnchored } = walk;
  const { pages, count } = alphabet;
  let state: State | undefined = start;
  let [current, following] = sets;
  let steps: Steps = start.steps;
  for (let at = 0; at < text.length; at++) {
    let character = text.charCodeAt(at);
    // The other half follows.
    if ((character & 0xfc00) === 0xd800) character = text.codePointAt(at++) ?? 0;
    const page = pages[character >> 8] ?? alphabet.newPage(character >> 8);
    const one = page[character & 255] ?? 0;
    if (state !== undefined) {
      const next: State | undefined = state.next[one] ?? nextState(state, one, walk);
      if (next === yes) return true;
      if (next === no) return false;
      if (next === undefined) {
        current.set(state.set);
        steps = state.steps;
      }
      state = next;
      if (next !== undefined) continue;
    }
    const step = steps[one] as Step;
    if (isMatch(step, current)) return true;
    if (!take(step, current, following) && isAnchored) return false;
    const read = following;
    following = current;
    current = read;
    steps = after[one] as Steps;
  }
  return state === undefined ? isMatch(steps[count] as Step, current) : isMatch(state.steps[count] as Step, state.set);
}

/** Undefined if it is new and there is no room. */
function nextState(state: State, one: number, walk: Walk): State | undefined {
  const step = state.steps[one] as Step;
  const set = new Int32Array(state.set.length);
  const isNo = !take(step, state.set, set) && walk.isAnchored;
  const next = isMatch(step, state.set) ? yes : isNo ? no : known(set, one, walk);
  state.next[one] = next;
  return next;
}

function known(set: Int32Array, one: number, { after, alphabet, states, maxStates }: Walk): State | undefined {
  const key = alphabet.sides[one] + String.fromCharCode(...new Uint16Array(set.buffer));
  const found = states.get(key);
  if (found !== undefined || states.size >= maxStates) return found;
  const state: State = { set, steps: after[one] as Steps, next: [] };
  states.set(key, state);
  return state;
}

/** Whether a match ends before the character of the step. */
function isMatch({ isMatch, last }: Step, set: Int32Array): boolean {
  return isMatch || meet(last, 0, last.length, set);
}

/** From a set to the one after it. Returns whether that has members. */
function take({ first, chained, jumps }: Step, from: Int32Array, to: Int32Array): boolean {
  let any = 0;
  let here = from[0] ?? 0;
  for (let word = 0; word < chained.length; word++) {
    const above = from[word + 1] ?? 0;
    const led = ((here >>> 1) | (above << 31)) & (chained[word] ?? 0);
    to[word] = led;
    any |= led;
    here = above;
  }
  any |= join(first, 0, first.length, to);
  for (let at = 0; at < jumps.length; ) {
    const middle = jumps[at] ?? 0;
    const next = jumps[at + 1] ?? 0;
    if (meet(jumps, at + 2, middle, from)) any |= join(jumps, middle, next, to);
    at = next;
  }
  return any !== 0;
}

/** Whether one of the words from `at` has a member of the set. */
function meet(words: Words, at: number, end: number, set: Int32Array): boolean {
  for (let word = at; word < end; word += 2)
    if (((set[words[word] ?? 0] ?? 0) & (words[word + 1] ?? 0)) !== 0) return true;
  return false;
}

/** Adds the words from `at` to the set; 0 if there are none. */
function join(words: Words, at: number, end: number, set: Int32Array): number {
  let any = 0;
  for (let word = at; word < end; word += 2) {
    const place = words[word] ?? 0;
    const bits = words[word + 1] ?? 0;
    set[place] = (set[place] ?? 0) | bits;
    any |= bits;
  }
  return any;
}
