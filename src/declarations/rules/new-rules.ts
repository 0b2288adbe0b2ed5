/** The unique rules that existing records may break. */
import type { FieldDeclaration } from '../../domain/record/declaration.ts';
import { fieldsOfRule, type UniqueRule } from '../../domain/record/unique-rules.ts';
import { typeOf } from '../field-steps.ts';
import { byNewNames, type CollectionChange } from '../plan.ts';
import { isNullInAll, keyOfRule, outlinesOf } from './unique-steps.ts';

/** Those of `rules`, which the collection has afterwards, that are new, or that have a field whose values are converted. */
export function rulesToCheck(change: CollectionChange, rules: readonly UniqueRule[]): readonly UniqueRule[] {
  if (change.before === undefined) return [];
  const before = byNewNames(change);
  const known = new Set(outlinesOf(before).map(keyOfRule));
  const isConverted = (field: string) => {
    const [old, now] = [before.fields[field], change.after.fields[field]];
    return old !== undefined && now !== undefined && !isSameType(old, now);
  };
  return rules.filter(
    (rule) =>
      !isNullInAll(rule, before, change.after) &&
      (!known.has(keyOfRule(rule)) || [...fieldsOfRule(rule)].some(isConverted)),
  );
}

function isSameType(old: FieldDeclaration, now: FieldDeclaration): boolean {
  return typeOf(old) === typeOf(now);
}
