/** The name of a field in the indexes, rules and rights of its collection, and in the paths of other collections that lead to it. */
import { applyEdits, type Edit, type Node } from 'jsonc-parser';
import { stringOf } from '../../../src/exact/json-text.ts';
import { collectionsIn } from './model.ts';
import { treeOf } from './slots.ts';

/** The text still has the field under its old name. */
export function renameInRules(text: string, collection: string, field: string, name: string): string {
  const root = treeOf(text);
  if (root === undefined) return text;
  const all = collectionsIn(text) ?? [];
  /** What each reference leads to. */
  const targets = new Map(
    all.flatMap((one) =>
      one.fields.map(
        ({ name: from, options }) => [`${one.name}.${from}`, stringOf(options.get('to') ?? '""')] as const,
      ),
    ),
  );
  const edits: Edit[] = [];
  for (const { name: owner } of all) visitCollection(owner);
  return applyEdits(text, edits);

  function visitCollection(owner: string): void {
    const declared = childOf(childOf(root, 'collections'), owner);
    for (const member of ['indexes', 'search', 'shown_as']) renameNames(childOf(declared, member), owner);
    for (const { key } of membersOf(childOf(declared, 'first'))) rename(key, owner);
    for (const rule of childOf(declared, 'unique')?.children ?? []) {
      renameNames(rule.type === 'array' ? rule : childOf(rule, 'fields'), owner);
      renameInCondition(childOf(rule, 'where'), owner);
    }
    for (const rule of childOf(declared, 'check')?.children ?? []) renameInCondition(childOf(rule, 'where'), owner);
    for (const { value: rule } of membersOf(childOf(declared, 'access'))) {
      for (const { value: right } of membersOf(rule)) {
        renameNames(childOf(right, 'fields'), owner);
        renameInCondition(childOf(right, 'where'), owner);
        renameInCondition(childOf(right, 'check'), owner);
        for (const { key } of membersOf(childOf(right, 'set'))) rename(key, owner);
      }
    }
  }
  /** A field, or a list of fields or of such lists. */
  function renameNames(node: Node | undefined, owner: string): void {
    if (node?.type === 'string') rename(node, owner);
    if (node?.type === 'array') for (const child of node.children ?? []) renameNames(child, owner);
  }
  function renameInCondition(node: Node | undefined, owner: string): void {
    for (const { key, value } of membersOf(node)) {
      if (['any', 'all', 'not'].includes(String(key.value))) {
        for (const one of value.type === 'array' ? (value.children ?? []) : [value]) renameInCondition(one, owner);
        continue;
      }
      rename(key, owner);
      for (const { value: operand } of membersOf(value)) renameNames(childOf(operand, 'field'), owner);
    }
  }
  /** The parts of a path are fields of one collection after the other. */
  function rename({ value, offset, length }: Node, owner: string): void {
    let at: string | undefined = owner;
    const path = String(value);
    const parts = path.split('.').map((part) => {
      const isField = at === collection && part === field;
      at = targets.get(`${at}.${part}`);
      return isField ? name : part;
    });
    if (parts.join('.') !== path) edits.push({ offset, length, content: JSON.stringify(parts.join('.')) });
  }
}

type Member = { readonly key: Node; readonly value: Node };

function membersOf(node: Node | undefined): readonly Member[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ key, value }],
  );
}

function childOf(node: Node | undefined, name: string): Node | undefined {
  return membersOf(node).find(({ key }) => key.value === name)?.value;
}
