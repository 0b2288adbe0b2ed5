/** Finds the functions that a test file executes, in its own process and in child processes. */
import { type Node, walkCode } from './syntax.ts';

type Body = { readonly start: number; readonly end: number; readonly isBlock: boolean };

/** The source, with a report of each function, by its start, at its first call, and of the module when it is loaded. */
export function instrumented(source: string, file: string, reportTo: string): string {
  const inserts: { readonly at: number; readonly text: string }[] = [];
  for (const { start, end, isBlock } of bodiesOf(source)) {
    const call = `shelfCalled(${JSON.stringify(functionName(file, start))})`;
    if (isBlock) inserts.push({ at: start + 1, text: `${call};` });
    else inserts.push({ at: start, text: `(${call},` }, { at: end, text: ')' });
  }
  // From the last to the first, so that the earlier positions stay valid.
  const marked = inserts
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
  return `${marked}
shelfCalled(${JSON.stringify(functionName(file, undefined))});
function shelfCalled(name) {
  const called = (globalThis.shelfCalls ??= new Set());
  if (called.has(name)) return;
  called.add(name);
  try {
    require('node:fs').appendFileSync(${JSON.stringify(reportTo)}, name + '\\n');
  } catch {}
}
`;
}

/** The innermost function around a position, or the module. */
export function functionAround(source: string, file: string, position: number): string {
  const around = bodiesOf(source).filter(({ start, end }) => start <= position && position < end);
  const innermost = around.reduce<Body | undefined>(
    (inner, one) => (inner === undefined || one.start > inner.start ? one : inner),
    undefined,
  );
  return functionName(file, innermost?.start);
}

function functionName(file: string, start: number | undefined): string {
  return `${file}:${start ?? 'module'}`;
}

function bodiesOf(source: string): Body[] {
  const bodies: Body[] = [];
  walkCode(source, (node) => {
    const body = node.body as Node | undefined;
    if (!/^(?:Function|ArrowFunction|ClassMethod|ClassPrivateMethod|ObjectMethod)/.test(node.type) || !body) return;
    const isBlock = body.type === 'BlockStatement';
    const { parenStart } = (body.extra ?? {}) as { readonly parenStart?: number };
    // The function ends after the parentheses around its expression.
    bodies.push({ start: parenStart ?? body.start, end: isBlock ? body.end : node.end, isBlock });
  });
  return bodies;
}
