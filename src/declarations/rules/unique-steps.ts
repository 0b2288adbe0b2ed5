/** The steps that unique rules need. */
import type { CollectionDeclaration, FieldDeclaration, Plain } from '../../domain/record/declaration.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { among, listed } from '../../domain/record/rule-text.ts';
import { type DeclaredRule, declaredRules, type UniqueRule } from '../../domain/record/unique-rules.ts';
import { isObject } from '../mistakes.ts';
import type { Step } from '../step.ts';

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
    ...(where === undefined ? {} : { where: renamed(where, now) }),
  }));
}

function renamed(where: Plain, now: (name: string) => string): Plain {
  if (!isObject(where)) return where;
  const members = Object.entries(where as { readonly [key: string]: Plain }).map(([name, value]) => {
    if (name === 'not') return [name, renamed(value, now)];
    if (Array.isArray(value) && (name === 'any' || name === 'all'))
      return [name, value.map((one) => renamed(one as Plain, now))];
    return [now(name), isObject(value) ? operands(value as { readonly [key: string]: Plain }, now) : value];
  });
  return Object.fromEntries(members);
}

/** An operand is a value, or `{"field": name}`. */
function operands(value: { readonly [key: string]: Plain }, now: (name: string) => string): Plain {
  const members = Object.entries(value).map(([operator, operand]) => {
    const other = isObject(operand) ? operand.field : undefined;
    return [operator, typeof other === 'string' ? { field: now(other) } : operand];
  });
  return Object.fromEntries(members);
}

/** `before` has the names of now. */
export function uniqueSteps(name: string, before: CollectionDeclaration, after: CollectionDeclaration): Step[] {
  const [had, has] = [before, after].map((declaration) => {
    const rules = outlinesOf(declaration);
    return new Map(rules.map((rule) => [keyOfRule(rule), rule]));
  }) as [Map<string, UniqueRule>, Map<string, UniqueRule>];
  const isIn =
    ({ fields }: CollectionDeclaration) =>
    (field: string) =>
      Object.hasOwn(fields, field);
  const added = [...has].filter(([key]) => !had.has(key));
  // A rule goes with its field.
  const removed = [...had].filter(([key, { fields }]) => !has.has(key) && fields.every(isIn(after)));
  return [
    ...added.flatMap(([, rule]) => addRule(name, rule, before, after)),
    ...removed.map(([, rule]): Step => ({ text: removeText(name, rule), risk: 'none' })),
  ];
}

function addRule(name: string, rule: UniqueRule, before: CollectionDeclaration, after: CollectionDeclaration): Step[] {
  const { fields, condition } = rule;
  const isFree = isNullInAll(rule, before, after);
  // Adding the field says so.
  if (isFree && fields.length === 1 && condition === undefined) return [];
  return [{ text: addText(name, rule), risk: isFree ? 'none' : 'check' }];
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

/** A rule of one field among all records is an option of this field, however it is spelled. */
function isOfField({ fields, condition }: UniqueRule): boolean {
  return fields.length === 1 && condition === undefined;
}

function addText(name: string, rule: UniqueRule): string {
  const { fields, condition } = rule;
  if (isOfField(rule)) return `${name}.${fields[0]}: make it unique`;
  return `${name}: make ${listed(fields)} unique${fields.length === 1 ? '' : ' together'}${among(condition)}`;
}

function removeText(name: string, rule: UniqueRule): string {
  const { fields, condition } = rule;
  if (isOfField(rule)) return `${name}.${fields[0]}: allow equal values`;
  return `${name}: allow equal values of ${listed(fields)}${among(condition)}`;
}
