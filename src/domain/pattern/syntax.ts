/** The parts of a pattern in the syntax of ECMAScript with the flag `u`. RegExp has accepted it, so its syntax is right. */
import { NoGraph, type Spend } from './budget.ts';
import {
  type Characters,
  digits,
  everyCharacter,
  except,
  lineEnds,
  spaces,
  united,
  withProperty,
  wordCharacters,
} from './characters.ts';

export type Part =
  | { readonly kind: 'characters'; readonly set: Characters }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'either'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number };

export type Assertion = '^' | '$' | '\\b' | '\\B';

/** More would exhaust the stack. */
const deepest = 100;
/** For each, RegExp is asked of hundreds of thousands of characters. */
const maxProperties = 10;

const setEscapes: Readonly<Record<string, Characters>> = {
  d: digits,
  D: except(digits),
  w: wordCharacters,
  W: except(wordCharacters),
  s: spaces,
  S: except(spaces),
};
const controls: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };

export function parsePattern(source: string, spend: Spend): Part {
  let at = 0;
  let depth = 0;
  /** By their source: many patterns have one more than once. */
  const classes = new Map<string, Characters>();
  const properties = new Set<string>();
  let every: string | undefined;

  /** Takes what is next, if it has the form, which is sticky. */
  function take(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = at;
    const found = form.exec(source) ?? undefined;
    if (found !== undefined) at = form.lastIndex;
    return found;
  }

  function either(): Part {
    const parts = [sequence()];
    while (take(/\|/uy)) parts.push(sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'either', parts };
  }

  function sequence(): Part {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated());
    return { kind: 'sequence', parts };
  }

  function repeated(): Part {
    const part = single();
    // A lazy quantifier matches the same texts.
    const found = take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/uy);
    if (found === undefined) return part;
    const [quantifier, count, comma, limit] = found;
    if (count === undefined)
      return {
        kind: 'repeat',
        part,
        least: quantifier.startsWith('+') ? 1 : 0,
        most: quantifier.startsWith('?') ? 1 : Number.POSITIVE_INFINITY,
      };
    const least = Number(count);
    const most = comma === '' ? least : limit === '' ? Number.POSITIVE_INFINITY : Number(limit);
    return { kind: 'repeat', part, least, most };
  }

  function single(): Part {
    if (take(/\(/uy)) return group();
    const assertion = take(/[$^]|\\[bB]/uy)?.[0];
    if (assertion !== undefined) return { kind: 'assertion', assertion: assertion as Assertion };
    return { kind: 'characters', set: characters() };
  }

  function group(): Part {
    const around = take(/\?<?[=!]/uy)?.[0];
    if (around !== undefined) throw new NoGraph(`has a look-around, (${around}...)`);
    const flags = take(/\?[-a-z]+:/uy)?.[0];
    if (flags !== undefined) throw new NoGraph(`sets flags, (${flags}...)`);
    if (++depth > deepest) throw new NoGraph(`has more than ${deepest} groups inside each other`);
    take(/\?:|\?<[^>]*>/uy);
    const part = either();
    at++;
    depth--;
    return part;
  }

  function characters(): Characters {
    if (take(/\./uy)) return except(lineEnds);
    const inBrackets = take(/\[(?:\\.|[^\]\\])*\]/suy)?.[0];
    if (inBrackets !== undefined) {
      const end = at;
      at -= inBrackets.length - 1;
      const set = classes.get(inBrackets) ?? members();
      classes.set(inBrackets, set);
      at = end;
      return set;
    }
    const reference = take(/\\(?:[1-9]\d*|k<[^>]*>)/uy)?.[0];
    if (reference !== undefined) throw new NoGraph(`has a back reference, ${reference}`);
    return escapedSet() ?? one(character());
  }

  /** Of a class in brackets, up to its end. */
  function members(): Characters {
    const isNegated = take(/\^/uy) !== undefined;
    const sets: Characters[] = [];
    while (!take(/\]/uy)) {
      const set = escapedSet();
      if (set !== undefined) sets.push(set);
      else {
        const first = character();
        sets.push(take(/-(?!\])/uy) ? [first, character()] : one(first));
      }
    }
    spend(sets.reduce((sum, { length }) => sum + length, 0));
    const set = united(sets);
    return isNegated ? except(set) : set;
  }

  function escapedSet(): Characters | undefined {
    const found = take(/\\(?:([dDwWsS])|[pP]\{[^}]*\})/uy);
    if (found === undefined) return undefined;
    const [property, letter] = found;
    if (letter !== undefined) return setEscapes[letter];
    properties.add(property);
    if (properties.size > maxProperties)
      throw new NoGraph(`has more than ${maxProperties} properties such as ${property}`);
    return withProperty(property, () => (every ??= everyCharacter()));
  }

  function character(): number {
    const escaped = take(/\\(?:u\{([0-9a-f]+)\}|x([0-9a-f]{2})|c([a-z])|([bfnrtv0]))/iuy);
    if (escaped !== undefined) {
      const [, point, byte, control, letter = ''] = escaped;
      if (control !== undefined) return control.charCodeAt(0) % 32;
      return controls[letter] ?? Number.parseInt(point ?? byte ?? '', 16);
    }
    // Two escapes of surrogates are one character.
    const units = take(/\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})/iuy);
    if (units !== undefined) {
      const [, high, low = '', unit = ''] = units;
      const codes = (high === undefined ? [unit] : [high, low]).map((hex) => Number.parseInt(hex, 16));
      return String.fromCharCode(...codes).codePointAt(0) ?? 0;
    }
    take(/\\/uy);
    const point = source.codePointAt(at) ?? 0;
    at += point > 0xffff ? 2 : 1;
    return point;
  }

  return either();
}

const one = (point: number): Characters => [point, point];
