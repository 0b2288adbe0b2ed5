/** JSON with comments, as plain data: every digit is kept, and a name that is there twice is a mistake. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Plain } from '../../domain/record/declaration.ts';
import { isDouble, numberOf } from '../../exact/numeral.ts';

export type Parsed = { readonly value: Plain; readonly mistakes: readonly string[] };

/** Each mistake begins with its line. */
export function parseJsonc(text: string): Parsed {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const mistakes = errors.map(
    ({ error, offset }) => `line ${lineAt(text, offset)}: ${words(printParseErrorCode(error))}`,
  );
  if (root === undefined || mistakes.length > 0) return { value: null, mistakes };
  const found: string[] = [];
  const value = plainOf(root, text, (message, offset) => {
    found.push(`line ${lineAt(text, offset)}: ${message}`);
  });
  return { value, mistakes: found };
}

function plainOf(node: Node, text: string, onMistake: (message: string, offset: number) => void): Plain {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map((child) => plainOf(child, text, onMistake));
  if (node.type === 'object') {
    const members = new Map<string, Plain>();
    for (const property of children) {
      const [name, value] = property.children ?? [];
      const key = String(name?.value);
      if (members.has(key))
        onMistake(`"${key}" is there twice in one object: remove or rename one of them`, property.offset);
      members.set(key, value === undefined ? null : plainOf(value, text, onMistake));
    }
    return Object.fromEntries(members);
  }
  if (node.type !== 'number') return node.value as string | boolean | null;
  const digits = text.slice(node.offset, node.offset + node.length);
  const number = numberOf(digits);
  if (typeof number === 'number' && !isDouble(digits))
    onMistake(`${digits} cannot be kept with all its digits: a number has about 16 of them`, node.offset);
  return number;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** `CommaExpected` becomes `comma expected`. */
function words(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
