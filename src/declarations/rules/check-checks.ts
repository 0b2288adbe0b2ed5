/** Checks the declared rules of a collection that each of its records meets. */

import { isObject } from '../../domain/input/json.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { conditionOfRule } from '../../domain/record/rule-condition.ts';
import { types } from '../../domain/types/all-types.ts';
import { fieldsIn, filtersIn, type Where } from '../../domain/where/where.ts';
import { type Mistakes, shown } from '../mistakes.ts';
import type { DeclaredFields } from './check-indexes.ts';
import { checkOptions, readCondition, rulesIn } from './rule-list.ts';

/** In UTF-16 units. */
export const maxMessage = 200;

/** Of a text that is compared without case, which takes a millisecond for so many characters where writes are ordered. */
export const maxFoldedText = 10_000;

const ruleOptions = ['where', 'message'];

export function checkChecks(value: unknown, declared: DeclaredFields, path: string, mistakes: Mistakes): void {
  const such =
    '[{ "where": { "due_on": { "gte": { "field": "lent_on" } } }, "message": "is before the day of lending" }]';
  const seen = new Set<string>();
  for (const [at, rule] of (rulesIn(value, such, path, mistakes) ?? []).entries()) {
    const place = `${path}[${at}]`;
    if (!isObject(rule)) {
      mistakes.add(place, `must be an object with "where" and "message", not ${shown(rule)}`);
      continue;
    }
    checkOptions(rule, ruleOptions, place, mistakes);
    checkMessage(rule.message, `${place}.message`, mistakes);
    const where = readCondition(rule.where, '', conditionOfRule, declared, `${place}.where`, mistakes);
    if (where === undefined) continue;
    if (fieldsIn(where).length === 0) mistakes.add(`${place}.where`, 'must compare at least one field with a value');
    requireFoldable(where, declared, `${place}.where`, mistakes);
    const condition = plainJson(rule.where);
    if (seen.has(condition)) mistakes.add(place, 'is there already; remove one of them');
    seen.add(condition);
  }
}

function checkMessage(message: unknown, path: string, mistakes: Mistakes): void {
  if (typeof message !== 'string' || message.trim() === '')
    mistakes.add(path, `must say what is wrong, to follow the name of a field, not ${shown(message)}`);
  else if (message.length > maxMessage || !message.isWellFormed() || /\p{Cc}/u.test(message))
    mistakes.add(path, `must have at most ${maxMessage} characters, none of them a control character`);
}

function requireFoldable(where: Where, { fields }: DeclaredFields, path: string, mistakes: Mistakes): void {
  const folded = filtersIn(where).filter(({ operator }) => operator.endsWith('_ci'));
  for (const name of new Set(folded.map(({ field }) => field))) {
    const declared = fields[name];
    const longest = declared === undefined ? 0 : (types[declared.type]?.longest?.(declared) ?? 0);
    if (longest > maxFoldedText)
      mistakes.add(`${path}.${name}`, `a text that is compared without case needs "max" of ${maxFoldedText} or less`);
  }
}
