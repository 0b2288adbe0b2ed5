/** Where a part of a configuration file is in its text. */
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { parsing, treeOf } from './slots.ts';

export type Place = { readonly offset: number; readonly length: number };

/** Of a mistake, whose path is such as collections.books.indexes[1]. As much of the path as there is. */
export function placeOf(text: string, path: string): Place | undefined {
  let node = treeOf(text);
  let place: Place | undefined;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    const [key, value] = name === undefined ? [undefined, node?.children?.[Number(index)]] : memberOf(node, name);
    if (value === undefined) return place;
    node = value;
    place = key ?? value;
  }
  return place;
}

/** Where the text stops being JSON with comments; undefined if it is. */
export function brokenAt(text: string): Place | undefined {
  const errors: ParseError[] = [];
  parseTree(text, errors, parsing);
  return errors[0];
}

/** From 1. */
export const lineOf = (text: string, { offset }: Place) => text.slice(0, offset).split('\n').length;

function memberOf(node: Node | undefined, name: string): readonly (Node | undefined)[] {
  const members = node?.type === 'object' ? (node.children ?? []) : [];
  return members.find(({ children: [key] = [] }) => key?.value === name)?.children ?? [];
}
