/** Deletions that would come back to the collection where they began. */
import type { Declarations } from '../domain/declaration.ts';

/** Each cycle of several collections once. Within one collection a cascade is fine: it ends with its records. */
export function cascadeCycles(declarations: Declarations): string[][] {
  const next = (name: string) =>
    Object.entries(declarations)
      .filter(([, { fields }]) =>
        Object.values(fields).some(({ to, on_delete }) => to === name && on_delete === 'cascade'),
      )
      .map(([dependent]) => dependent)
      .filter((dependent) => dependent !== name);
  const cycles: string[][] = [];
  const done = new Set<string>();
  function visit(name: string, trail: readonly string[]): void {
    const at = trail.indexOf(name);
    if (at >= 0) {
      cycles.push(trail.slice(at));
      return;
    }
    if (done.has(name)) return;
    for (const one of next(name)) visit(one, [...trail, name]);
    done.add(name);
  }
  for (const name of Object.keys(declarations)) visit(name, []);
  return cycles;
}
