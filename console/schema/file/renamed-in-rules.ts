/** The name of a field in the indexes, rules and rights of its collection. */
import { applyEdits, type Edit, findNodeAtLocation, type Node } from 'jsonc-parser';
import { treeOf } from './slots.ts';

const members = ['indexes', 'unique', 'search', 'check', 'first', 'access'];
/** Lists with names of fields. Other lists have values. */
const listsOfFields = ['indexes', 'unique', 'search', 'fields'];

export function renameInRules(text: string, collection: string, field: string, name: string): string {
  const root = treeOf(text);
  const declared = root === undefined ? undefined : findNodeAtLocation(root, ['collections', collection]);
  if (declared === undefined) return text;
  const edits: Edit[] = [];
  for (const member of members) {
    const node = findNodeAtLocation(declared, [member]);
    if (node !== undefined) visit(node, member);
  }
  return applyEdits(text, edits);

  /** `within` is the name of the member that the node belongs to. */
  function visit(node: Node, within: string): void {
    if (node.type === 'string' && (isInList(node, within) || within === 'field')) rename(node);
    if (node.type === 'array') for (const child of node.children ?? []) visit(child, within);
    if (node.type !== 'object') return;
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (key === undefined || value === undefined) continue;
      rename(key);
      visit(value, String(key.value));
    }
  }
  function isInList(node: Node, within: string): boolean {
    return node.parent?.type === 'array' && listsOfFields.includes(within);
  }
  /** A path begins with it. */
  function rename({ value, offset, length }: Node): void {
    const [first, ...rest] = String(value).split('.');
    if (first === field) edits.push({ offset, length, content: JSON.stringify([name, ...rest].join('.')) });
  }
}
