/** The steps that one field of a collection needs. */
import type { FieldDeclaration } from '../domain/record/declaration.ts';
import { plainJson } from '../domain/record/plain-data.ts';
import { types } from '../domain/types/all-types.ts';
import type { Step } from './step.ts';

export function addStep(path: string, { type, optional, default: preset }: FieldDeclaration): Step {
  const clock = types[type]?.clock;
  if (clock !== undefined && preset === clock.preset)
    return {
      text: `${path}: add the field; records get the ${clock.what} of the migration`,
      risk: 'none',
      touches: {},
    };
  if (preset !== undefined && preset !== null)
    return {
      ...{ text: `${path}: add the field; records get ${plainJson(preset)}`, risk: 'none', touches: {}, judges: path },
    };
  if (optional) return { text: `${path}: add the field; records get null`, risk: 'none', touches: {} };
  return {
    ...{ text: `${path}: add a required field, which only an empty collection can get`, risk: 'check', judges: path },
  };
}

/** `isChecked`: the values of the field have to be checked or converted. */
export function fieldSteps(path: string, source: string, old: FieldDeclaration, field: FieldDeclaration) {
  const steps: Step[] = [];
  let isChecked = false;
  if (typeOf(old) !== typeOf(field)) {
    steps.push({
      ...{ text: `${path}: convert ${typeOf(old)} to ${typeOf(field)}`, risk: 'loss', allow: `type:${path}` },
      ...{ touches: { withField: source }, judges: path },
    });
    isChecked = true;
  } else if (types[field.type]?.narrows?.(old, field)) {
    steps.push({ text: `${path}: narrow the bounds`, risk: 'check', judges: path });
    isChecked = true;
  } else if (boundsOf(old) !== boundsOf(field)) steps.push({ text: `${path}: widen the bounds`, risk: 'none' });
  if (old.optional && !field.optional) {
    steps.push({ text: `${path}: require a value`, risk: 'check', judges: path });
    isChecked = true;
  }
  // A server with the earlier file would neither sort nor page through records with null.
  if (!old.optional && field.optional) steps.push({ text: `${path}: make it optional`, risk: 'check' });
  return { steps: [...steps, ...slowStep(path, old, field)], isChecked };
}

/** A pattern that a database of an earlier release has goes on; a new one would let a client hold a thread. */
export function slowStep(path: string, old: FieldDeclaration | undefined, field: FieldDeclaration): Step[] {
  const slow = types[field.type]?.slowPattern?.(field);
  const known = old === undefined ? undefined : types[old.type]?.slowPattern?.(old);
  if (slow === undefined || slow.pattern === known?.pattern) return [];
  return [{ text: `${path}: the pattern ${slow.why}, which can take very long; write it otherwise`, risk: 'refused' }];
}

/** The type with what decides how values are kept. */
export function typeOf(declared: FieldDeclaration): string {
  const kept = types[declared.type]?.kept?.(declared);
  return kept === undefined ? declared.type : `${declared.type} (${kept})`;
}

/** Whether values of one are kept like those of the other. */
export function isSameType(one: FieldDeclaration, other: FieldDeclaration): boolean {
  return typeOf(one) === typeOf(other);
}

function boundsOf({ min, max, pattern, of }: FieldDeclaration): string {
  return plainJson({ min, max, pattern, of });
}
