/** Rules in words. */

/** In UTF-16 units. */
const longest = 200;

/** `book and copy must be unique together where {"state":"lent"}`. */
export function ruleText(fields: readonly string[], condition: string | undefined): string {
  return `${listed(fields)} must be unique${fields.length === 1 ? '' : ' together'}${among(condition)}`;
}

/** `a, b and c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** The records that the rule is for, to follow it. */
export function among(condition: string | undefined): string {
  return condition === undefined ? '' : ` where ${shortCondition(condition)}`;
}

export function shortCondition(condition: string): string {
  return condition.length > longest ? `${condition.slice(0, longest).toWellFormed()}...` : condition;
}
