/** Parses a source text and walks the nodes that are code. */
import { parse } from '@babel/parser';

/** The part of Babel's node type that a walk needs. */
export type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

/** Skipped: imports and property names, which contain no code. */
const skipped: ReadonlySet<string> = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ObjectProperty key']);

export function walkCode(source: string, visit: (node: Node) => void): void {
  walk(parse(source, { sourceType: 'module', plugins: ['typescript', 'explicitResourceManagement'] }).program, visit);
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, visit);
    return;
  }
  if (!isNode(value) || value.type.startsWith('TS') || skipped.has(value.type)) {
    // `x as T` and `x satisfies T` contain code in `expression`.
    if (isNode(value) && 'expression' in value) walk(value.expression, visit);
    return;
  }
  visit(value);
  for (const [key, child] of Object.entries(value)) {
    if (!skipped.has(`${value.type} ${key}`)) walk(child, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
