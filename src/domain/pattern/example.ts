/** A text that a pattern matches, for examples: a shortest walk over its graph. */
import type { Spend } from './budget.ts';
import { type Characters, except, pairs } from './characters.ts';
import { end, graphOf } from './graph.ts';
import { reachIn, type Side } from './reach.ts';
import type { Part } from './syntax.ts';

/** A longer one would be in the document a dozen times. */
const longest = 1000;

/** The first that fits is taken: a letter or a digit where there is a choice. */
const preferred = ['a', 'A', '1', ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)), '\n', '\t'];

/** The end of a way, which began at the start of the text. */
type Way = {
  readonly next: number;
  readonly side: Side;
  readonly character: string;
  readonly before: Way | undefined;
};

/** Of `least` characters or more. Undefined if none is found. */
export function exampleOf(pattern: Part, least: number, spend: Spend): string | undefined {
  const anything: Part = {
    kind: 'repeat',
    part: { kind: 'characters', set: except([]) },
    least: 0,
    most: Number.POSITIVE_INFINITY,
  };
  const { nodes, sets, start } = graphOf({ kind: 'sequence', parts: [anything, pattern, anything] }, spend);
  const reach = reachIn({ nodes, sets, start }, spend);
  const characters = sets.map((set) => ({ word: characterIn(set, true), other: characterIn(set, false) }));
  let ways: readonly Way[] = [{ next: start, side: 'edge', character: '', before: undefined }];
  let seen = new Set<string>();
  for (let length = 0; length <= longest && ways.length > 0; length++) {
    const found = length < least ? undefined : ways.find(({ next, side }) => reach([next], side, 'edge').includes(end));
    if (found !== undefined) return textOf(found);
    // A longer way to the same place is of use only while the text is too short.
    if (length < least) seen = new Set();
    ways = ways.flatMap((way) =>
      (['word', 'other'] as const).flatMap((side) =>
        reach([way.next], way.side, side).flatMap((number): Way[] => {
          const node = nodes[number];
          const character = node?.kind === 'characters' ? characters[node.set]?.[side] : undefined;
          if (node?.kind !== 'characters' || character === undefined || seen.has(`${number} ${side}`)) return [];
          seen.add(`${number} ${side}`);
          return [{ next: node.next, side, character, before: way }];
        }),
      ),
    );
  }
  return undefined;
}

function textOf(way: Way): string {
  let text = '';
  for (let one: Way | undefined = way; one !== undefined; one = one.before) text = one.character + text;
  return text;
}

/** A character of the set that `\b` looks for, or another one. */
function characterIn(set: Characters, isWord: boolean): string | undefined {
  const ranges = pairs(set);
  const found = preferred.find(
    (one) =>
      /\w/.test(one) === isWord &&
      ranges.some(([first, last]) => first <= one.charCodeAt(0) && one.charCodeAt(0) <= last),
  );
  if (found !== undefined || isWord) return found;
  // Not U+0000, nor half of a surrogate pair.
  return set
    .map((code) => String.fromCodePoint(code))
    .find((one) => one !== '\0' && one.isWellFormed() && !/\w/.test(one));
}
