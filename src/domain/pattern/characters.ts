/** Sets of code points: the first and the last of each range, in order, without overlap. */

export type Characters = readonly number[];

export const lastCharacter = 0x10ffff;

export const digits: Characters = [0x30, 0x39];
export const wordCharacters: Characters = [...digits, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** White space and line ends, as ECMAScript has them. */
export const spaces: Characters = united([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
/** What `.` does not match. */
export const lineEnds: Characters = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];

/** One set of all ranges, which may overlap. */
export function united(ranges: readonly Characters[]): Characters {
  const set: number[] = [];
  for (const [first, last] of ranges.flatMap(pairs).sort(([one], [other]) => one - other)) {
    const end = set.at(-1) ?? -2;
    if (first > end + 1) set.push(first, last);
    else set[set.length - 1] = Math.max(end, last);
  }
  return set;
}

/** Every character that is not in the set. */
export function except(set: Characters): Characters {
  const others: number[] = [];
  let next = 0;
  for (const [first, last] of pairs(set)) {
    if (first > next) others.push(next, first - 1);
    next = last + 1;
  }
  return next > lastCharacter ? others : [...others, next, lastCharacter];
}

export function pairs(set: Characters): [first: number, last: number][] {
  return Array.from({ length: set.length / 2 }, (_, at) => [set[2 * at] ?? 0, set[2 * at + 1] ?? 0]);
}

const properties = new Map<string, Characters>();

/** The set of `\p{...}` or `\P{...}`, asked of RegExp, so that both have the same version of Unicode. `every` has every kind of character. */
export function withProperty(property: string, every: () => string): Characters {
  if (property.startsWith('\\P')) return except(withProperty(`\\p${property.slice(2)}`, every));
  const known = properties.get(property);
  if (known !== undefined) return known;
  const ranges: Characters[] = [];
  for (const { 0: run, index } of every().matchAll(new RegExp(`${property}+`, 'gu')))
    ranges.push([characterAt(index), characterAt(index + run.length) - 1]);
  const set = united(ranges);
  properties.set(property, set);
  return set;
}

/** No text has half of a surrogate pair. */
const surrogates = { first: 0xd800, count: 0x800 };
const singleUnits = 0x10000 - surrogates.count;

/** Below, each character is looked at. Above, planes are empty or for private use but for the tags, so they have one kind each, and two characters at the end. */
const dense = 0x40000;
const tags = { first: 0xe0000, count: 0x1000 };
const starts = [
  ...Array.from({ length: 13 }, (_, plane) => [dense + 0x10000 * plane, dense + 0x10000 * plane + 0xfffe]).flat(),
  ...Array.from({ length: tags.count }, (_, tag) => tags.first + 1 + tag),
].sort((one, other) => one - other);

/** A text of every character, in order, or of the first of those that have the same properties. */
export function everyCharacter(): string {
  const units = new Uint16Array(singleUnits);
  for (let at = 0; at < singleUnits; at++) units[at] = characterAt(at);
  const lows = Array.from({ length: 0x400 }, (_, low) => String.fromCharCode(0xdc00 | low));
  const highs = Array.from({ length: (dense - 0x10000) / 0x400 }, (_, high) => String.fromCharCode(0xd800 | high));
  return [
    new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units),
    ...highs.map((high) => high + lows.join(high)),
    String.fromCodePoint(...starts),
  ].join('');
}

/** The character at a place in that text. */
function characterAt(unit: number): number {
  if (unit < singleUnits) return unit < surrogates.first ? unit : unit + surrogates.count;
  const character = 0x10000 + (unit - singleUnits) / 2;
  return character < dense ? character : (starts[character - dense] ?? lastCharacter + 1);
}
