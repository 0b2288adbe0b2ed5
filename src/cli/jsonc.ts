/** JSON with comments, as plain data: every digit is kept, and a name that is there twice is a mistake. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Plain } from '../domain/declaration.ts';

export type Parsed = { readonly value: Plain; readonly mistakes: readonly string[] };

/** Each mistake begins with its line. */
export function parseJsonc(text: string): Parsed {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const mistakes = errors.map(
    ({ error, offset }) => `line ${lineAt(text, offset)}: ${words(printParseErrorCode(error))}`,
  );
  if (root === undefined || mistakes.length > 0) return { value: null, mistakes };
  const repeated: string[] = [];
  const value = plainOf(root, text, (key, offset) => {
    repeated.push(`line ${lineAt(text, offset)}: "${key}" is there twice in one object: remove or rename one of them`);
  });
  return { value, mistakes: repeated };
}

function plainOf(node: Node, text: string, onRepeated: (key: string, offset: number) => void): Plain {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map((child) => plainOf(child, text, onRepeated));
  if (node.type === 'object') {
    const members = new Map<string, Plain>();
    for (const property of children) {
      const [name, value] = property.children ?? [];
      const key = String(name?.value);
      if (members.has(key)) onRepeated(key, property.offset);
      members.set(key, value === undefined ? null : plainOf(value, text, onRepeated));
    }
    return Object.fromEntries(members);
  }
  if (node.type !== 'number') return node.value as string | boolean | null;
  const digits = text.slice(node.offset, node.offset + node.length);
  const isExact = !/^-?\d+$/.test(digits) || Number.isSafeInteger(Number(digits));
  return isExact ? Number(digits) : BigInt(digits);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** `CommaExpected` becomes `comma expected`. */
function words(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
