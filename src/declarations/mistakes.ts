/** Mistakes in declarations, each with the path to it. */

export class Mistakes {
  readonly lines: string[] = [];

  /** Returns undefined, so that a reader can return it where there is no value. */
  add(path: string, message: string): undefined {
    this.lines.push(`${path}: ${message}`);
    return undefined;
  }
}

type PlainObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a value is, for "must be ..., not ...". */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
