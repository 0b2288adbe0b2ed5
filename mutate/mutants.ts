/** Lists the mutants of a source text: single changes to conditions, operators, literals and statements. */
import { type Node, walkCode } from './syntax.ts';

export type Mutant = { readonly start: number; readonly end: number; readonly text: string };

const swapped: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
};

const swappedMethods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  ceil: 'floor',
  floor: 'ceil',
};

export function mutantsOf(source: string): Mutant[] {
  const found: Mutant[] = [];
  const replace = ({ start, end }: Pick<Node, 'start' | 'end'>, text: string) => found.push({ start, end, text });
  walkCode(source, (node) => {
    switch (node.type) {
      case 'IfStatement':
      case 'ConditionalExpression':
        replace(node.test as Node, 'true');
        replace(node.test as Node, 'false');
        break;
      case 'WhileStatement':
        replace(node.test as Node, 'false');
        break;
      case 'BinaryExpression':
      case 'LogicalExpression':
      case 'AssignmentExpression':
        swapOperator(source, node, replace);
        break;
      case 'UpdateExpression': {
        const operator = String(node.operator);
        const start = node.prefix === true ? node.start : node.end - operator.length;
        replace({ start, end: start + operator.length }, swapped[operator] ?? operator);
        break;
      }
      case 'UnaryExpression':
        if (node.operator === '!') replace({ start: node.start, end: node.start + 1 }, '');
        break;
      case 'BooleanLiteral':
        replace(node, String(node.value !== true));
        break;
      case 'NumericLiteral':
        replace(node, String(Number(node.value) + 1));
        break;
      case 'StringLiteral':
        if (node.value !== '') replace(node, "''");
        break;
      case 'ExpressionStatement':
        replace(node, ';');
        break;
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const property = node.property as Node;
        const other = property.type === 'Identifier' ? swappedMethods[String(property.name)] : undefined;
        if (other !== undefined) replace(property, other);
        break;
      }
    }
  });
  return found;
}

/** Replaces an operator by its opposite; `a ?? b` becomes `a`. */
function swapOperator(
  source: string,
  node: Node,
  replace: (at: Pick<Node, 'start' | 'end'>, text: string) => void,
): void {
  const left = node.left as Node;
  const right = node.right as Node;
  const operator = String(node.operator);
  if (operator === '??') {
    replace({ start: left.end, end: node.end }, '');
    return;
  }
  const other = swapped[operator];
  if (other === undefined) return;
  const start = source.indexOf(operator, left.end);
  // String concatenation is skipped: `-` would always give NaN.
  if (start < 0 || start >= right.start || isText(left) || isText(right)) return;
  replace({ start, end: start + operator.length }, other);
}

function isText({ type }: Node): boolean {
  return type === 'StringLiteral' || type === 'TemplateLiteral';
}

export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** The changed lines, before (`was`) and after (`is`), trimmed. */
export function linesOf(
  source: string,
  mutant: Mutant,
): { readonly line: number; readonly was: string; readonly is: string } {
  const from = source.lastIndexOf('\n', mutant.start - 1) + 1;
  const newline = source.indexOf('\n', mutant.end);
  const to = newline < 0 ? source.length : newline;
  const was = source.slice(from, to).trim();
  const is = mutated(source, mutant)
    .slice(from, to + mutant.text.length - (mutant.end - mutant.start))
    .trim();
  return { line: source.slice(0, mutant.start).split('\n').length, was, is };
}
