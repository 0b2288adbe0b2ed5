/** Answers of the server. The values of records stay text, so no digit passes through a double. */
import { compact, type JsonText, membersOf } from '../../src/exact/json-text.ts';

/** The members of an answer. Throws SyntaxError if it has none: a proxy in front may answer with a page of its own. */
export function members(answer: string): ReadonlyMap<string, JsonText> {
  if (!answer.trimStart().startsWith('{')) throw new SyntaxError('The answer is not a JSON object');
  return membersOf(answer);
}

/** The text of a string; digits and words as they are. */
export function unquoted(value: JsonText): string {
  return value.startsWith('"') ? JSON.parse(value) : value;
}

/** Plain data, for answers that are not records. A number that a double cannot hold becomes its digits as a string. */
export function plain(text: JsonText): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && String(value) !== source && /^-?\d+$/.test(source)
      ? source
      : value;
  });
}

/** With a line for each member, and the digits and the order as they are. */
export function indented(text: JsonText): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return compact(text).replace(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{[]|[}\]]|,|:/gs, (token) => {
    if (token === '{' || token === '[') {
      depth++;
      return token + line();
    }
    if (token === '}' || token === ']') {
      depth--;
      return line() + token;
    }
    if (token === ',') return token + line();
    return token === ':' ? ': ' : token;
  });
}
