/** Random rules of collections. */
import type { CheckDeclaration, FieldDeclaration, Plain } from '../../../src/domain/record/declaration.ts';
import type { Random } from '../../support/data/random.ts';
import { elementOf, type Fields, operatorsOf } from './types.ts';

export type Rule = { readonly fields: readonly string[]; readonly where?: Plain };

type RuleMaker = { readonly random: Random; preset(declared: FieldDeclaration): Plain };

export const uniqueTypes = ['text', 'integer', 'decimal', 'date', 'timestamp', 'choice', 'reference'];
/** Members of a condition, and not fields. */
const groups = ['any', 'all', 'not'];
const betweenFields = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'];
/** In bytes; fewer than a condition may have. */
const most = 900;

/** Rules of several fields, or of one with a condition. */
export function randomRules(maker: RuleMaker, fields: Fields): Rule[] {
  const rules = Array.from({ length: maker.random.pick([0, 0, 1, 1, 2]) }, () => randomRule(maker, fields));
  const found = rules.filter((rule) => rule !== undefined);
  return [...new Map(found.map((rule) => [JSON.stringify(rule.fields.toSorted()), rule])).values()];
}

/** With the fields in `first`. Undefined if there is none. */
export function randomRule(maker: RuleMaker, fields: Fields, ...first: readonly string[]): Rule | undefined {
  const { random } = maker;
  const able = Object.entries(fields)
    .filter(([key, { type, max }]) => {
      const isShort = type !== 'text' || max !== undefined;
      return [...uniqueTypes, 'boolean'].includes(type) && isShort && !first.includes(key);
    })
    .map(([key]) => key);
  if (first.some((key) => fields[key]?.type === 'text' && fields[key]?.max === undefined)) return undefined;
  const others = random.shuffled(able).slice(0, first.length === 0 ? 1 + random.below(3) : random.below(3));
  const chosen = random.shuffled([...first, ...others]);
  const where = chosen.length < 2 || random.chance(0.6) ? randomCondition(maker, fields) : undefined;
  if (chosen.length === 0 || (chosen.length === 1 && where === undefined)) return undefined;
  return { fields: chosen, ...(where === undefined ? {} : { where }) };
}

/** Most records meet them. */
export function randomChecks(maker: RuleMaker, fields: Fields): CheckDeclaration[] {
  const { random } = maker;
  const able = Object.entries(fields).filter(([key, one]) => one.type !== 'json' && !groups.includes(key));
  if (able.length === 0) return [];
  const one = (): Plain => {
    const [key, declared] = random.pick(able);
    const isLong = declared.max === undefined;
    const known = operatorsOf(declared).filter(
      (operator) => operator !== 'words' && (!isLong || !operator.endsWith('_ci')),
    );
    return { [key]: comparison(maker, declared, able, known) };
  };
  const forms: readonly (() => Plain)[] = [
    () => ({ not: one() }),
    () => ({ any: [one(), { not: one() }] }),
    () => ({ not: { all: [one(), one()] } }),
    one,
  ];
  const count = random.pick([0, 0, 1, 1, 2]);
  const rules = Array.from({ length: count }, (_, at) => ({
    where: random.pick(forms)(),
    message: `breaks rule ${at}`,
  }));
  return [...new Map(rules.map((rule) => [textOf(rule.where), rule])).values()];
}

/** One that an index can hold. */
function randomCondition(maker: RuleMaker, fields: Fields): Plain | undefined {
  const { random } = maker;
  const able = Object.entries(fields).filter(
    ([key, one]) => !['list', 'json'].includes(one.type) && !groups.includes(key),
  );
  if (able.length === 0) return undefined;
  const one = (): Plain => {
    const [key, declared] = random.pick(able);
    const held = operatorsOf(declared).filter(
      (operator) => !['has', 'eq_ci', 'contains_ci', 'words'].includes(operator),
    );
    return { [key]: comparison(maker, declared, able, held) };
  };
  const form = random.pick<() => Plain>([one, one, () => ({ not: one() }), () => ({ any: [one(), one()] })]);
  for (let tries = 0; tries < 5; tries++) {
    const where = form();
    if (Buffer.byteLength(textOf(where)) < most) return where;
  }
  return undefined;
}

function textOf(where: Plain): string {
  return JSON.stringify(where, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

function comparison(
  maker: RuleMaker,
  declared: FieldDeclaration,
  able: readonly (readonly [key: string, declared: FieldDeclaration])[],
  operators: readonly string[],
): Plain {
  const { random } = maker;
  const operator = random.pick(operators);
  if (operator === 'is') return { is: random.pick(['null', 'set']) };
  if (operator === 'in') return { in: [maker.preset(declared), maker.preset(declared)] };
  if (betweenFields.includes(operator) && random.chance(0.2)) {
    const { type, scale, to } = declared;
    const same = able.filter(([, other]) => other.type === type && other.scale === scale && other.to === to);
    return { [operator]: { field: random.pick(same)[0] } };
  }
  const value = maker.preset(operator === 'has' ? elementOf(declared) : declared);
  return {
    [operator]: ['contains', 'starts_with', 'contains_ci'].includes(operator)
      ? [...String(value)].slice(0, 1).join('')
      : value,
  };
}
