/** Changes of one element of a list in a configuration file. The other elements keep their comments and their formatting. */
import { applyEdits, type Edit, findNodeAtLocation, type Node } from 'jsonc-parser';
import { removeMember, setMember } from './edits.ts';
import { lineEndOf, lineStart, type Path, treeOf } from './slots.ts';

type List = { readonly node: Node; readonly elements: readonly Node[] };

function listAt(text: string, path: Path): List | undefined {
  const root = treeOf(text);
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  return node?.type === 'array' ? { node, elements: node.children ?? [] } : undefined;
}

const endOf = ({ offset, length }: Node) => offset + length;

export function setElement(text: string, path: Path, place: number, json: string): string {
  const element = listAt(text, path)?.elements[place];
  return element === undefined ? text : applyEdits(text, [replace(element.offset, endOf(element), json)]);
}

/** The list is made with its first element. */
export function addElement(text: string, path: Path, json: string): string {
  const last = listAt(text, path)?.elements.at(-1);
  if (last === undefined) return setMember(text, path, `[${json}]`);
  const { comma, tail } = lineEndOf(text, endOf(last));
  const line = lineStart(text, last.offset);
  const lead = text.slice(line, last.offset);
  if (lead.trim() !== '') return applyEdits(text, [replace(endOf(last), endOf(last), `, ${json}`)]);
  const next = `${text.slice(tail).startsWith('\r\n') ? '\r\n' : '\n'}${lead}${json}`;
  if (comma !== undefined) return applyEdits(text, [replace(tail, tail, `${next},`)]);
  return applyEdits(text, [replace(endOf(last), endOf(last), ','), replace(tail, tail, next)]);
}

/** The list goes with its last element. */
export function removeElement(text: string, path: Path, place: number): string {
  const { node, elements = [] } = listAt(text, path) ?? {};
  const element = elements[place];
  if (node === undefined || element === undefined) return text;
  if (elements.length === 1) return removeMember(text, path);
  const before = elements[place - 1];
  const lead = before === undefined ? undefined : lineEndOf(text, endOf(before));
  const { comma, tail } = lineEndOf(text, endOf(element));
  const from = lead?.tail ?? node.offset + 1;
  const gone = replace(from, before === undefined ? firstOf(text, node, element, tail) : tail, '');
  // The last one needs no comma in front.
  if (comma !== undefined || lead?.comma === undefined) return applyEdits(text, [gone]);
  return applyEdits(text, [replace(lead.comma, lead.comma + 1, ''), gone]);
}

/** Within a line, the space behind the comma goes, too. */
function firstOf(text: string, node: Node, element: Node, tail: number): number {
  return element.offset === node.offset + 1 ? tail + (/^ */.exec(text.slice(tail))?.[0].length ?? 0) : tail;
}

function replace(from: number, to: number, content: string): Edit {
  return { offset: from, length: to - from, content };
}
