/** The steps that unique rules need. */
import type { CollectionDeclaration, FieldDeclaration } from '../../domain/record/declaration.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { among, listed } from '../../domain/record/rule-text.ts';
import { type DeclaredRule, declaredRules, type UniqueRule } from '../../domain/record/unique-rules.ts';
import type { Step } from '../step.ts';
import { withNewNames } from './renamed-condition.ts';

/** The same for the same rule. */
export function keyOfRule({ fields, condition }: UniqueRule): string {
  return JSON.stringify([fields, condition ?? null]);
}

/** Without a compiled condition: the types of its fields may be those of a newer Shelf. */
export function outlinesOf(declaration: CollectionDeclaration): readonly UniqueRule[] {
  return declaredRules(declaration).map(({ fields, where }) =>
    where === undefined ? { fields } : { fields, condition: plainJson(where) },
  );
}

/** The rules with the names that their fields have now; `names` has those that changed. */
export function withNames(
  { unique = [] }: CollectionDeclaration,
  names: ReadonlyMap<string, string>,
): readonly DeclaredRule[] {
  const now = (name: string) => names.get(name) ?? name;
  return declaredRules({ singular: '', fields: {}, unique }).map(({ fields, where }) => ({
    fields: fields.map(now),
    ...(where === undefined ? {} : { where: withNewNames(where, now) }),
  }));
}

/** `before` has the names of now. */
export function uniqueSteps(name: string, before: CollectionDeclaration, after: CollectionDeclaration): Step[] {
  const [had, has] = [outlinesOf(before), outlinesOf(after)];
  const isIn = (rules: readonly UniqueRule[], rule: UniqueRule) =>
    rules.some((one) => keyOfRule(one) === keyOfRule(rule));
  const added = has.filter((rule) => !isIn(had, rule));
  // A rule goes with its field.
  const isLeft = ({ fields }: UniqueRule) => fields.every((field) => Object.hasOwn(after.fields, field));
  const removed = had.filter((rule) => !isIn(has, rule) && isLeft(rule));
  return [
    ...added.flatMap((rule) => addRule(name, rule, isNullInAll(rule, before, after))),
    ...removed.map((rule) => removeRule(name, rule)),
  ];
}

function addRule(name: string, rule: UniqueRule, isFree: boolean): Step[] {
  const { fields, condition } = rule;
  const how = `${fields.length === 1 ? '' : ' together'}${among(condition)}`;
  // Adding the field says so.
  if (isOfField(rule))
    return isFree
      ? []
      : [{ text: `${name}.${fields[0]}: make it unique`, risk: 'check', judges: pathOfRule(name, rule) }];
  return [
    isFree
      ? { text: `${name}: keep ${listed(fields)} unique${how}`, risk: 'none' }
      : { text: `${name}: make ${listed(fields)} unique${how}`, risk: 'check', judges: pathOfRule(name, rule) },
  ];
}

function removeRule(name: string, rule: UniqueRule): Step {
  const { fields, condition } = rule;
  return isOfField(rule)
    ? { text: `${name}.${fields[0]}: allow equal values`, risk: 'none' }
    : { text: `${name}: allow equal values of ${listed(fields)}${among(condition)}`, risk: 'none' };
}

/** In the lines of records that break the rule. */
export function pathOfRule(name: string, rule: UniqueRule): string {
  return isOfField(rule) ? `${name}.${rule.fields[0]}` : `${name}: ${listed(rule.fields)}`;
}

/** A rule of one field among all records is an option of this field, however it is spelled. */
function isOfField({ fields, condition }: UniqueRule): boolean {
  return fields.length === 1 && condition === undefined;
}

/** A field of the rule is new, and null in every record, also in one that a server with the earlier file adds: no two are equal. */
export function isNullInAll(
  { fields }: UniqueRule,
  before: CollectionDeclaration,
  after: CollectionDeclaration,
): boolean {
  const isNull = ({ optional, default: preset }: FieldDeclaration) => optional === true && (preset ?? null) === null;
  return fields.some((field) => {
    const declared = after.fields[field];
    return !Object.hasOwn(before.fields, field) && declared !== undefined && isNull(declared);
  });
}
