/** What is wrong with a name, while it is typed. */
import { collectionNameMistake, fieldNameMistake, isTaken, reserved } from '../../../src/declarations/names.ts';

/** Undefined if it can be used. */
export function nameProblem(what: 'field' | 'collection', name: string, taken: readonly string[]): string | undefined {
  if (name === '') return 'Type a name.';
  if (taken.includes(name)) return `There is a ${what} "${name}" already.`;
  if (what === 'field') return sentence(fieldNameMistake(name, false));
  return sentence(isTaken(name) ? reserved(name) : collectionNameMistake(name));
}

function sentence(mistake: string | undefined): string | undefined {
  if (mistake === undefined) return undefined;
  return mistake.startsWith('"') ? `${mistake}.` : `It ${mistake}.`;
}
