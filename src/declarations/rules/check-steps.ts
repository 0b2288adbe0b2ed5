/** The steps that rules for single records need. */
import type { CheckDeclaration, CollectionDeclaration } from '../../domain/record/declaration.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { shortCondition } from '../../domain/record/rule-text.ts';
import type { Step } from '../step.ts';
import { withNewNames } from './renamed-condition.ts';

/** The conditions, as JSON: another message is the same rule. */
export function keysOfChecks({ check = [] }: CollectionDeclaration): ReadonlySet<string> {
  return new Set(check.map(({ where }) => plainJson(where)));
}

/** The rules with the names that their fields have now; `names` has those that changed. */
export function checksWithNames(
  { check = [] }: CollectionDeclaration,
  names: ReadonlyMap<string, string>,
): readonly CheckDeclaration[] {
  return check.map((rule) => ({ ...rule, where: withNewNames(rule.where, (name) => names.get(name) ?? name) }));
}

/** In the lines of records that do not meet the condition. */
export function pathOfCheck(name: string, condition: string): string {
  return `${name}: ${shortCondition(condition)}`;
}

/** `before` has the names of now. */
export function checkSteps(name: string, before: CollectionDeclaration, after: CollectionDeclaration): Step[] {
  const [had, has] = [keysOfChecks(before), keysOfChecks(after)];
  const added = [...has].filter((one) => !had.has(one));
  const removed = [...had].filter((one) => !has.has(one));
  return [
    ...added.map(
      (one): Step => ({
        ...{ text: `${name}: require ${shortCondition(one)} of each record`, risk: 'check' },
        judges: pathOfCheck(name, one),
      }),
    ),
    ...removed.map((one): Step => ({ text: `${name}: no longer require ${shortCondition(one)}`, risk: 'none' })),
  ];
}
