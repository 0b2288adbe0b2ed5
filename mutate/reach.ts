/** Finds the source files that a test file loads, directly or through other files. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** An import, or a thread started by its path under src. */
const reference = /\b(?:from|import|require)\b[ (]'(\.[^']+\.ts)'|\bstartThread\('([^']+)'\)/g;

export class Reach {
  readonly #references = new Map<string, readonly string[]>();

  constructor(readonly root: string) {}

  /** All files that `file` loads, including itself. */
  from(file: string): ReadonlySet<string> {
    const found = new Set<string>([file]);
    for (const one of found) for (const next of this.#referencesIn(one)) found.add(next);
    return found;
  }

  #referencesIn(file: string): readonly string[] {
    const known = this.#references.get(file);
    if (known !== undefined) return known;
    const source = readFileSync(join(this.root, file), 'utf8');
    const named = [...source.matchAll(reference)]
      .map(([, path, thread]) => (path === undefined ? `src/${thread}.ts` : normalize(join(dirname(file), path))))
      .filter((path) => existsSync(join(this.root, path)));
    this.#references.set(file, named);
    return named;
  }
}
