/** The rules that existing records may break. */
import type { CheckRule } from '../../domain/record/check-rules.ts';
import type { CollectionDeclaration } from '../../domain/record/declaration.ts';
import { fieldsOfRule, type UniqueRule } from '../../domain/record/unique-rules.ts';
import { isSameType } from '../field-steps.ts';
import { byNewNames, type CollectionChange } from '../plan.ts';
import { keysOfChecks } from './check-steps.ts';
import { isNullInAll, keyOfRule, outlinesOf } from './unique-steps.ts';

/** Those of `rules`, which the collection has afterwards, that are new, or that have a field whose values are converted. */
export function rulesToCheck(change: CollectionChange, rules: readonly UniqueRule[]): readonly UniqueRule[] {
  if (change.before === undefined) return [];
  const before = byNewNames(change);
  const known = new Set(outlinesOf(before).map(keyOfRule));
  return rules.filter(
    (rule) =>
      !isNullInAll(rule, before, change.after) &&
      (!known.has(keyOfRule(rule)) || [...fieldsOfRule(rule)].some(isConverted(before, change.after))),
  );
}

/** The same of the rules for single records. */
export function checksToCheck(change: CollectionChange, checks: readonly CheckRule[]): readonly CheckRule[] {
  if (change.before === undefined) return [];
  const before = byNewNames(change);
  const known = keysOfChecks(before);
  return checks.filter(
    ({ condition, fields }) => !known.has(condition) || fields.some(isConverted(before, change.after)),
  );
}

function isConverted(before: CollectionDeclaration, after: CollectionDeclaration) {
  return (field: string) => {
    const [old, now] = [before.fields[field], after.fields[field]];
    return old !== undefined && now !== undefined && !isSameType(old, now);
  };
}
