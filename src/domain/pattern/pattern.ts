/** A declared pattern: a regular expression of ECMAScript with the flag `u`, which matches somewhere in a text. */
import { alphabetOf } from './alphabet.ts';
import { budget, NoGraph } from './budget.ts';
import { exampleOf } from './example.ts';
import { graphOf } from './graph.ts';
import { machineOf } from './steps.ts';
import { type Part, parsePattern } from './syntax.ts';
import { matches, walkOf } from './walk.ts';

export type Pattern = {
  /** For well-formed text. */
  test(text: string): boolean;
  /** The most words of work for a character: each takes about two nanoseconds. 0 if RegExp has to match it. */
  readonly words: number;
  /** A text of `least` characters or more that it matches; undefined if none is found. */
  example(least: number): string | undefined;
  /** Why RegExp has to match it, which takes very long for some texts; follows "the pattern". */
  readonly slow: string | undefined;
};

/** A longer source would take long to read. */
const maxSource = 5000;
/** To compile a pattern: some ten milliseconds. */
const maxSteps = 125_000;

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
    if (source.length > maxSource) throw new NoGraph(`has more than ${maxSource} characters`);
    const spend = budget(maxSteps);
    const part = parsePattern(source, spend);
    const graph = graphOf(part, spend);
    const walk = walkOf(machineOf(graph, alphabetOf(graph, spend), spend));
    return {
      test: (text) => matches(text, walk),
      words: walk.words,
      example: (least) => exampleFor(part, least),
      slow: undefined,
    };
  } catch (error) {
    if (!(error instanceof NoGraph)) throw error;
    const { message } = error;
    return {
      test: (text) => expression.test(text),
      words: 0,
      example: () => undefined,
      slow: message,
    };
  }
}

function exampleFor(part: Part, least: number): string | undefined {
  try {
    return exampleOf(part, least, budget(maxSteps));
  } catch (error) {
    if (error instanceof NoGraph) return undefined;
    throw error;
  }
}
