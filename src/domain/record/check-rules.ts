/** Rules that hold for each record alone, after every change. */
import type { Problem } from '../errors.ts';
import { matcher } from '../where/match.ts';
import { type Filterable, fieldsIn } from '../where/where.ts';
import type { CheckDeclaration } from './declaration.ts';
import { isOpen } from './open-moments.ts';
import type { Fields, Judge, Row } from './row.ts';
import { compileCondition, conditionOfRule, type RuleCondition } from './rule-condition.ts';

export type CheckRule = RuleCondition & {
  /** The fields that the condition is on: what breaks the rule is shown at each of them. */
  readonly fields: readonly string[];
  /** Follows the name of a field. */
  readonly message: string;
};

/** For a declaration without problems. */
export function compileCheck({ where, message }: CheckDeclaration, subject: () => Filterable): CheckRule {
  const compiled = compileCondition(subject(), where, conditionOfRule);
  return { ...compiled, fields: fieldsIn(compiled.where), message };
}

export function brokenProblems({ fields, message }: Pick<CheckRule, 'fields' | 'message'>): Problem[] {
  return fields.map((field) => ({ field, message }));
}

/** Undefined without rules. */
export function judgeOf(checks: readonly CheckRule[], fields: Fields, subject: () => Filterable): Judge | undefined {
  if (checks.length === 0) return undefined;
  const rules = checks.map((rule) => ({ rule, holds: matcher(subject(), rule.where) }));
  return (row, problems) => {
    for (const { rule, holds } of rules)
      if (rule.fields.every((key) => isKnown(fields, key, row)) && !holds(row)) problems.push(...brokenProblems(rule));
  };
}

function isKnown(fields: Fields, key: string, row: Row): boolean {
  const [field, value] = [fields[key], row[key]];
  return field !== undefined && value !== undefined && !isOpen(field, value);
}
