/** What a configuration file declares, as its text says it: mistakes are the server's to find. */
import type { Node } from 'jsonc-parser';
import type { JsonText } from '../../../src/exact/json-text.ts';
import { treeOf } from './slots.ts';

export type FileField = {
  readonly name: string;
  /** Empty if the file has none. */
  readonly type: string;
  /** All but the type. */
  readonly options: ReadonlyMap<string, JsonText>;
};

export type FileCollection = {
  readonly name: string;
  readonly fields: readonly FileField[];
  /** All but the fields. */
  readonly members: ReadonlyMap<string, JsonText>;
};

/** Undefined if the text is not JSON with comments. */
export function collectionsIn(text: string): readonly FileCollection[] | undefined {
  const root = treeOf(text);
  if (root === undefined) return undefined;
  const declared = [...membersOf(membersOf(root).get('collections'))];
  // `"items": false` leaves out a collection.
  return declared
    .filter(([, { type }]) => type === 'object')
    .map(([name, node]) => {
      const members = membersOf(node);
      const fields = [...membersOf(members.get('fields'))].map(([field, declared]) => fieldOf(field, declared, text));
      members.delete('fields');
      return { name, fields, members: texts(members, text) };
    });
}

/** Collections that no file declares. */
export type OfContract = { readonly served: readonly string[]; readonly leftOut: readonly string[] };

export function ofContractIn(text: string): OfContract {
  const members = membersOfFile(text);
  const declared = new Set(collectionsIn(text)?.map(({ name }) => name));
  const all = ['items', 'users'].filter((name) => !declared.has(name));
  const isLeftOut = (name: string) => members.get(name) === 'false';
  return { served: all.filter((name) => !isLeftOut(name)), leftOut: all.filter(isLeftOut) };
}

/** All but the collections. */
export function membersOfFile(text: string): ReadonlyMap<string, JsonText> {
  const members = membersOf(treeOf(text));
  members.delete('collections');
  return texts(members, text);
}

function fieldOf(name: string, node: Node, text: string): FileField {
  if (node.type === 'string') return { name, type: String(node.value), options: new Map() };
  const members = membersOf(node);
  const type = members.get('type');
  members.delete('type');
  return { name, type: type?.type === 'string' ? String(type.value) : '', options: texts(members, text) };
}

function membersOf(node: Node | undefined): Map<string, Node> {
  if (node?.type !== 'object') return new Map();
  return new Map(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [[String(key.value), value] as const],
    ),
  );
}

function texts(members: ReadonlyMap<string, Node>, text: string): ReadonlyMap<string, JsonText> {
  return new Map([...members].map(([name, node]) => [name, jsonOf(node, text)]));
}

/** Without the comments in it. */
function jsonOf(node: Node, text: string): JsonText {
  if (node.type === 'array') return `[${(node.children ?? []).map((child) => jsonOf(child, text)).join(',')}]`;
  if (node.type !== 'object') return text.slice(node.offset, node.offset + node.length);
  const members = [...membersOf(node)].map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(value, text)}`);
  return `{${members.join(',')}}`;
}
