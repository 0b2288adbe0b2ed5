/** Where the members of an object are in the text of a file, with the comments that belong to each. */
import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser';

export type Path = readonly string[];

export type Slot = {
  readonly name: string;
  /** The name, in its quotes. */
  readonly key: Node;
  readonly value: Node;
  /** Where the comments in front of it begin, or else its name. */
  readonly lead: number;
  readonly start: number;
  /** Behind the value. */
  readonly end: number;
  readonly comma: number | undefined;
  /** Behind the comma and the comments in the same line. */
  readonly tail: number;
  /** Nothing else is in its lines. */
  readonly isOwnLine: boolean;
};

export type ObjectAt = { readonly node: Node; readonly slots: readonly Slot[] };

export const parsing = { allowTrailingComma: true, disallowComments: false };

/** Undefined if the text is not JSON with comments. */
export function treeOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, parsing);
  return errors.length > 0 ? undefined : root;
}

/** Undefined if there is no object at the path. */
export function objectAt(text: string, path: Path): ObjectAt | undefined {
  const root = treeOf(text);
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  if (node?.type !== 'object') return undefined;
  const slots = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [slotOf(text, key, value)],
  );
  return { node, slots };
}

function slotOf(text: string, key: Node, value: Node): Slot {
  const start = key.offset;
  const end = value.offset + value.length;
  const { comma, tail } = lineEndOf(text, end);
  const lead = leadOf(text, start);
  const isOwnLine =
    text.slice(lineStart(text, lead), lead).trim() === '' && /^[ \t]*(?:\r?\n|$)/.test(text.slice(tail));
  return { name: String(key.value), key, value, lead, start, end, comma, tail, isOwnLine };
}

/** The comma behind a value, and the comments of the same line. */
export function lineEndOf(text: string, end: number): { readonly comma: number | undefined; readonly tail: number } {
  const next = /[ \t]*(,|\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/)/y;
  let comma: number | undefined;
  let tail = end;
  for (;;) {
    next.lastIndex = tail;
    const found = next.exec(text)?.[1];
    if (found === undefined || (found === ',' && comma !== undefined)) return { comma, tail };
    tail = next.lastIndex;
    if (found === ',') comma = tail - 1;
  }
}

/** Comments in the lines above belong to a member, up to an empty line. */
function leadOf(text: string, start: number): number {
  let lead = start;
  for (;;) {
    const line = lineStart(text, lead);
    if (line === 0 || text.slice(line, lead).trim() !== '') return lead;
    const above = text.slice(lineStart(text, line - 1), line).trimEnd();
    const opening = above.endsWith('*/') ? text.lastIndexOf('/*', line) : -1;
    const next = /^\s*\/\//.test(above) ? lineStart(text, line - 1) + above.search(/\S/) : opening;
    if (next < 0 || text.slice(lineStart(text, next), next).trim() !== '') return lead;
    lead = next;
  }
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}
