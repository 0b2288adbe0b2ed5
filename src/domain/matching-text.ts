/** A text that a regular expression matches, for examples. */

/** An escape, a class, the start of a group, a quantifier, or one character. */
const part =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\c[a-z]|\\.|\[(?:\\.|[^\]\\])*\]|\(\?:|\(\?<\w+>|\(\??|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gisu;
const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/;

/** The first that fits is taken: a letter or a digit where there is a choice. */
const characters = ['a', 'A', '1', ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)), '\n', '\t'];

const longest = 100;

/**
 * Takes the first of alternatives, and repeats as little as it may, and `more` times. Undefined if the pattern has a look-around
 * or a back reference, or the text would be long. Only the pattern itself can tell whether it matches: an anchor may be anywhere.
 */
export function matchingText(pattern: string, more: number): string | undefined {
  const parts = pattern.match(part) ?? [];
  let at = 0;
  let isPossible = true;

  function group(): string {
    const first = sequence();
    while (parts[at] === '|') {
      at++;
      sequence();
    }
    return first;
  }

  function sequence(): string {
    let text = '';
    while (at < parts.length && parts[at] !== '|' && parts[at] !== ')') {
      const one = atom(parts[at++] ?? '');
      const times = quantifier.test(parts[at] ?? '') ? timesOf(parts[at++] ?? '', more) : 1;
      if (text.length + one.length * times > longest) impossible();
      else text += one.repeat(times);
    }
    return text;
  }

  function atom(token: string): string {
    if (token === '^' || token === '$' || /^\\b$/i.test(token)) return '';
    if (token.startsWith('(')) {
      if (token === '(?') impossible();
      const inner = group();
      at++;
      return inner;
    }
    if (/^[^.[\\]/u.test(token)) return token;
    if (/^\\[1-9k]/.test(token)) return impossible();
    return characters.find((one) => new RegExp(`^${token}$`, 'u').test(one)) ?? impossible();
  }

  function impossible(): string {
    isPossible = false;
    return '';
  }

  const text = group();
  return isPossible ? text : undefined;
}

function timesOf(text: string, more: number): number {
  const [sign = '', least, comma, most] = quantifier.exec(text) ?? [];
  if (least === undefined) return sign === '?' ? Math.min(1, more) : more + (sign === '+' ? 1 : 0);
  if (comma === '') return Number(least);
  return Math.min(Number(least) + more, most === '' ? Number.POSITIVE_INFINITY : Number(most));
}
