/** A declared pattern: a regular expression of ECMAScript with the flag `u`, which matches somewhere in a text. */
import { graphOf } from './graph.ts';
import { NoTable, parsePattern } from './syntax.ts';
import { tableOf } from './table.ts';

export type Pattern = {
  /** For well-formed text. */
  test(text: string): boolean;
  /** Why RegExp has to match it, which takes very long for some texts; follows "the pattern". Undefined if a table does. */
  readonly slow: string | undefined;
};

/** A longer one would take long to read. */
const longest = 5000;

const patterns = new Map<string, Pattern | undefined>();

/** Undefined if the source is no regular expression. */
export function patternOf(source: string): Pattern | undefined {
  if (patterns.has(source)) return patterns.get(source);
  const pattern = compile(source);
  patterns.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern | undefined {
  let expression: RegExp;
  try {
    expression = new RegExp(source, 'u');
  } catch {
    return undefined;
  }
  try {
    if (source.length > longest) throw new NoTable(`has more than ${longest} characters`);
    return { test: tableOf(graphOf(parsePattern(source))), slow: undefined };
  } catch (error) {
    if (!(error instanceof NoTable)) throw error;
    return { test: (text) => expression.test(text), slow: error.message };
  }
}
