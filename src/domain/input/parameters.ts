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

/** A mistake in one parameter. It follows the name, where several mistakes are listed. */
export class InvalidParameter extends Failure {
  constructor(
    readonly parameter: string,
    readonly mistake: string,
    detail: string,
  ) {
    super('invalid_query', { detail });
  }
}

/** `got` is the value that was received. */
export function invalidParameter(name: string, expected: string, got: string): Failure {
  const mistake = `expected ${expected}, got ${shortened(got)}`;
  return new InvalidParameter(name, `is invalid: ${mistake}`, `Invalid query parameter ${name}: ${mistake}.`);
}

/** For messages. */
export function shortened(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}

export function unknownParameter(name: string, known: readonly string[]): Failure {
  const others = known.length === 0 ? 'this path has none' : `known parameters: ${known.join(', ')}`;
  return new InvalidParameter(name, `is unknown; ${others}`, `Unknown query parameter ${name}; ${others}.`);
}

/** For a path that has no parameters. Throws `invalid_query`. */
export function requireNoParameters(search: string): void {
  const [first] = parametersOf(search);
  if (first !== undefined) throw unknownParameter(first[0], []);
}

export function repeatedParameter(name: string): Failure {
  const mistake = 'is given twice: send it once';
  return new InvalidParameter(name, mistake, `The query parameter ${name} ${mistake}.`);
}
