/**
 * JSON as text. A value stays as the server wrote it, so no digit passes through a double: 9007199254740993 and -0 are shown,
 * compared and sent back as they are. The text has to be valid; answers of the server are.
 */
export type JsonText = string;

const quote = 34;
const backslash = 92;

function skipSpace(text: string, at: number): number {
  let place = at;
  while (/\s/.test(text.charAt(place)) && place < text.length) place++;
  return place;
}

function endOfString(text: string, at: number): number {
  for (let place = at + 1; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code === quote) return place + 1;
    if (code === backslash) place++;
  }
  throw new SyntaxError('A string does not end');
}

function endOfValue(text: string, at: number): number {
  const first = text.charAt(at);
  if (first === '"') return endOfString(text, at);
  if (first !== '{' && first !== '[') {
    let place = at;
    while (place < text.length && !/[\s,\]}]/.test(text.charAt(place))) place++;
    return place;
  }
  let depth = 0;
  for (let place = at; place < text.length; place++) {
    const character = text.charAt(place);
    if (character === '"') place = endOfString(text, place) - 1;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return place + 1;
  }
  throw new SyntaxError('A value does not end');
}

/** The elements of a list, each as text. */
export function elements(list: JsonText): JsonText[] {
  const found: JsonText[] = [];
  let place = skipSpace(list, skipSpace(list, 0) + 1);
  while (list.charAt(place) !== ']') {
    const end = endOfValue(list, place);
    found.push(list.slice(place, end));
    place = skipSpace(list, end);
    if (list.charAt(place) === ',') place = skipSpace(list, place + 1);
  }
  return found;
}

/** The members of an object, each value as text, in their order. */
export function members(object: JsonText): Map<string, JsonText> {
  const found = new Map<string, JsonText>();
  let place = skipSpace(object, skipSpace(object, 0) + 1);
  while (object.charAt(place) !== '}') {
    const endOfName = endOfString(object, place);
    const name: string = JSON.parse(object.slice(place, endOfName));
    const start = skipSpace(object, skipSpace(object, endOfName) + 1);
    const end = endOfValue(object, start);
    found.set(name, object.slice(start, end));
    place = skipSpace(object, end);
    if (object.charAt(place) === ',') place = skipSpace(object, place + 1);
  }
  return found;
}

/** The object with these members: the inverse of `members`. */
export function objectOf(values: Iterable<readonly [name: string, value: JsonText]>): JsonText {
  return `{${[...values].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** Removes the space between values. */
export function compact(text: JsonText): JsonText {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/gs, (_, string?: string) => string ?? '');
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
