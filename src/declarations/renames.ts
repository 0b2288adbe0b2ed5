/** Advice for fields and collections that may have been renamed: a plan without `was` removes one and adds another. */
import { mayBeAbsent } from '../domain/record/record-schemas.ts';
import type { CollectionChange } from './plan.ts';

/** One line for each removed field that a new one of the same type may be, and for each new field that needs a value. */
export function fieldAdvice(changes: readonly CollectionChange[]): string[] {
  return changes.flatMap(({ name, before, after, sources, steps }) => {
    if (before === undefined || steps.length === 0) return [];
    const kept = new Set(sources.values());
    const added = Object.entries(after.fields).filter(([key]) => !sources.has(key));
    const renamed = Object.entries(before.declaration.fields).flatMap(([old, { type }]) => {
      const alike = added.filter(([, field]) => field.type === type).map(([key]) => key);
      if (kept.has(old) || alike.length === 0) return [];
      return `If ${name}.${old} is called ${alike.join(' or ')} now, declare "was": "${old}" there: its values are kept.`;
    });
    const required = added
      .filter(([, field]) => !mayBeAbsent(field))
      .map(([key]) => `Unless ${name} is empty, ${name}.${key} needs "was", a default or "optional": true.`);
    return [...renamed, ...required];
  });
}

/** One line for each new collection, if it can be one that is not declared any more. */
export function collectionAdvice(changes: readonly CollectionChange[], unserved: readonly string[]): string[] {
  if (unserved.length === 0) return [];
  return changes
    .filter(({ before, steps }) => before === undefined && steps.every(({ risk }) => risk === 'none'))
    .map(({ name }) => `If ${unserved.join(' or ')} is called ${name} now, declare "was" there: its records are kept.`);
}

/** Collections that the database has and the file does not declare; none of them is lost. */
export function unservedLine(unserved: readonly string[]): string {
  const [their, them] = unserved.length === 1 ? ['its', 'it'] : ['their', 'them'];
  return `Not served: ${unserved.join(', ')}. The database has ${them}, and the file does not declare ${them}; ${their} records stay.`;
}
