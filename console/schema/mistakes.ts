/** The mistakes of a part of the file. */
import type { Mistake } from './settings.ts';

export class Mistakes {
  constructor(private readonly all: readonly Mistake[]) {}

  /** Those of exactly this part. */
  at(...path: readonly string[]): readonly string[] {
    return this.all.filter((one) => one.path === path.join('.')).map(({ message }) => message);
  }

  /** Those that none of these parts shows. */
  outside(parts: readonly (readonly string[])[]): readonly string[] {
    const shown = parts.map((path) => path.join('.'));
    return this.all
      .filter(({ path }) => path !== '' && !shown.some((whole) => isIn(path, whole)))
      .map(({ path, message }) => `${path}: ${message}`);
  }

  /** Those of a part and what is in it, except for members that show their own. */
  in(path: readonly string[], except: readonly string[] = []): readonly string[] {
    const whole = path.join('.');
    const shown = except.map((name) => `${whole}.${name}`);
    return this.all
      .filter((one) => isIn(one.path, whole) && !shown.some((other) => isIn(one.path, other)))
      .map(({ path: at, message }) =>
        at === whole ? message : `${at.slice(whole.length).replace(/^\./, '')}: ${message}`,
      );
  }
}

function isIn(path: string, whole: string): boolean {
  return path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);
}
