/** Mistakes in declarations, each with the path to it. */
import { printable } from '../domain/input/printable.ts';

/**
 * `file`: the declarations are those of a configuration file, and every rule holds. `memory`: a database, an export or a
 * server has them, so they were right when they were declared. Rules may have become stricter since then, and a newer Shelf may have
 * added to them.
 */
export type Origin = 'file' | 'memory';

export type Mistake = { readonly path: string; readonly message: string };

export class Mistakes {
  readonly all: Mistake[] = [];

  constructor(readonly origin: Origin = 'file') {}

  /** One for each mistake. */
  get lines(): readonly string[] {
    return this.all.map(lineOf);
  }

  /** Returns undefined, so that a reader can return it where there is no value. */
  add(path: string, message: string): undefined {
    this.all.push({ path: printable(path), message: printable(message) });
    return undefined;
  }

  /** A mistake only if the declaration is of a file. */
  addInFile(path: string, message: string): void {
    if (this.origin === 'file') this.add(path, message);
  }
}

/** What a value is, for "must be ..., not ...". */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return shortened(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

/** The path to a member, whose name may be anything. */
export function pathTo(path: string, name: string): string {
  return `${path}.${shortened(name)}`;
}

/** So much of a text that the message around it can still be read. */
export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

/** A mistake in the syntax of a file has no path. */
export function lineOf({ path, message }: Mistake): string {
  return path === '' ? message : `${path}: ${message}`;
}
