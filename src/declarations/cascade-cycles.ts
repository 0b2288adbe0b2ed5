/** Deletions that would come back to the collection where they began. */
import type { Declarations } from '../domain/record/declaration.ts';

/** Each cycle of several collections once. Within one collection a cascade is fine: it ends with its records. */
export function cascadeCycles(declarations: Declarations): string[][] {
  /** The collections whose records are deleted with those of a collection. */
  const deleted = new Map<string, string[]>();
  for (const [name, { fields }] of Object.entries(declarations)) {
    for (const { to, on_delete } of Object.values(fields)) {
      if (to === undefined || to === name || on_delete !== 'cascade') continue;
      deleted.set(to, [...(deleted.get(to) ?? []), name]);
    }
  }
  const cycles: string[][] = [];
  const done = new Set<string>();
  function visit(name: string, trail: readonly string[]): void {
    const at = trail.indexOf(name);
    if (at >= 0) {
      cycles.push(trail.slice(at));
      return;
    }
    if (done.has(name)) return;
    for (const one of new Set(deleted.get(name))) visit(one, [...trail, name]);
    done.add(name);
  }
  for (const name of Object.keys(declarations)) visit(name, []);
  return cycles;
}
