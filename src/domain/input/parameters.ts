/** Parses query strings strictly: a value with invalid UTF-8 would match the wrong records. */
import { Failure } from '../errors.ts';

export type Parameters = readonly (readonly [name: string, value: string])[];

/**
 * `search` is the query string as sent, without the question mark. Throws `invalid_query` if an escape is not UTF-8.
 */
export function parametersOf(search: string): Parameters {
  return search
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      const [name, value] = equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
      return [decode(name), decode(value)] as const;
    });
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Failure('invalid_query', {
      detail: `The query contains ${JSON.stringify(text.slice(0, 100))}, which is not percent-encoded UTF-8: write é as %C3%A9 and % as %25.`,
    });
  }
}

/** `got` is the value that was received. */
export function invalidParameter(name: string, expected: string, got: string): Failure {
  const shown = JSON.stringify(got.length > 100 ? `${got.slice(0, 100)}...` : got);
  return new Failure('invalid_query', {
    detail: `Invalid query parameter ${name}: expected ${expected}, got ${shown}.`,
  });
}

export function unknownParameter(name: string, known: readonly string[]): Failure {
  const others = known.length === 0 ? 'this path has none' : `known parameters: ${known.join(', ')}`;
  return new Failure('invalid_query', { detail: `Unknown query parameter ${name}; ${others}.` });
}

/** For a path that has no parameters. Throws `invalid_query`. */
export function requireNoParameters(search: string): void {
  const [first] = parametersOf(search);
  if (first !== undefined) throw unknownParameter(first[0], []);
}

export function repeatedParameter(name: string): Failure {
  return new Failure('invalid_query', { detail: `The query parameter ${name} is given twice: send it once.` });
}
