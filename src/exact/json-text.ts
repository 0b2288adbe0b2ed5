/**
 * JSON as text: its parts exactly as they were sent, so no digit passes through a double: 9007199254740993 and -0 stay as they are. Every text here is
 * known to be JSON.
 */
export type JsonText = string;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

export type JsonKind = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null';

const [lowerT, lowerF, lowerN] = [0x74, 0x66, 0x6e];

/** By the first character. All others begin a number. */
export function kindOf(text: JsonText): JsonKind {
  switch (text.charCodeAt(skipSpace(text, 0))) {
    case quote:
      return 'string';
    case openBrace:
      return 'object';
    case openBracket:
      return 'array';
    case lowerT:
    case lowerF:
      return 'boolean';
    case lowerN:
      return 'null';
    default:
      return 'number';
  }
}

/** The value of a string, which has no white space around it. */
export function stringOf(text: JsonText): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** Tab, line feed, carriage return or space. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The members of an object, each as its text; none if the text is not an object. Of two with one name, the last. */
export function membersOf(text: JsonText): ReadonlyMap<string, JsonText> {
  const members = new Map<string, JsonText>();
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== openBrace) return members;
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) === quote) {
    const keyEnd = endOfString(text, at);
    const key = text.slice(at + 1, keyEnd - 1);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    members.set(key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key, text.slice(start, end));
    // After a comma, or at the closing brace.
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return members;
}

/** The object with these members. */
export function objectOf(members: Iterable<readonly [name: string, value: JsonText]>): JsonText {
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}

/** The elements of a list, each as its text; none if the text is not a list. */
export function elementsOf(text: JsonText): JsonText[] {
  const elements: JsonText[] = [];
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== openBracket) return elements;
  at = skipSpace(text, at + 1);
  while (at < text.length && text.charCodeAt(at) !== closeBracket) {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    // After a comma, or at the end.
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return elements;
}

/** Whether a string has U+0000 or half of a surrogate pair, which PostgreSQL cannot read. Only escapes can have them; those of whole characters are taken out first. */
export function hasUnreadableText(text: JsonText): boolean {
  if (!text.includes('\\u')) return false;
  const rest = text.replaceAll('\\\\', ' ').replace(/\\ud[89ab]..\\ud[c-f]../gi, ' ');
  return /\\u(?:0000|d[89a-f])/i.test(rest);
}

/** The same JSON without white space between its parts. */
export function compact(text: JsonText): JsonText {
  if (!/\s/.test(text)) return text;
  let result = '';
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (isSpace(code)) {
      result += text.slice(from, at);
      at = skipSpace(text, at);
      from = at;
    } else at++;
  }
  return result + text.slice(from);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The place after the closing quote. `start` is at the opening one. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    if (at < 0) return text.length;
    // A quote after an odd number of backslashes belongs to the string.
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return endOfString(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) {
      // Of the object around a number, true, false or null.
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (code === comma || isSpace(code))) return at;
  }
  return text.length;
}
