/** The records that change, and the filters of the followers. */
import type { Random } from '../../test/support/data/random.ts';

export const collection = 'loans';

const optional = true;

export const configuration = {
  collections: {
    [collection]: {
      singular: 'loan',
      fields: {
        title: { type: 'text', search: true },
        state: { type: 'choice', of: ['open', 'late', 'closed'] },
        fee: { type: 'decimal', scale: 2 },
        days: { type: 'integer', optional },
        is_paid: { type: 'boolean', default: false },
        due_on: { type: 'date', optional },
        returned_on: { type: 'date', optional },
        tags: { type: 'list', of: 'text', default: [] },
        // Only of the marker: all followers have it in their list.
        moment: { type: 'integer', optional },
      },
    },
  },
};

const words = ['Aleph', 'Borges', 'Café', 'Draft', 'STRASSE', 'Straße'];
const states = ['open', 'late', 'closed'];
const orNull = (random: Random, value: unknown) => (random.chance(0.25) ? null : value);
const feeOf = (random: Random) => `${random.below(20)}.${random.below(10)}0`;
const dayOf = (random: Random) => `2026-0${1 + random.below(9)}-15`;

/** The fields of a record, each at random. */
const values: Readonly<Record<string, (random: Random) => unknown>> = {
  title: (random) => `${random.pick(words)} ${random.below(100)}`,
  state: (random) => random.pick(states),
  fee: feeOf,
  days: (random) => orNull(random, random.below(30)),
  is_paid: (random) => random.chance(0.5),
  due_on: (random) => orNull(random, dayOf(random)),
  returned_on: (random) => orNull(random, dayOf(random)),
  tags: (random) => words.filter(() => random.chance(0.3)),
};

export function newRecord(random: Random): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value(random)]));
}

export function newPatch(random: Random): Readonly<Record<string, unknown>> {
  const chosen = Object.entries(values).filter(() => random.chance(0.3));
  return Object.fromEntries(chosen.map(([name, value]) => [name, value(random)]));
}

const filters: readonly ((random: Random) => object)[] = [
  (random) => ({ state: random.pick(states) }),
  (random) => ({ fee: { gte: feeOf(random), lt: feeOf(random) } }),
  (random) => ({ days: { in: [random.below(30), random.below(30), random.below(30)] } }),
  () => ({ days: { is: 'null' } }),
  (random) => ({ not: { days: { lt: random.below(30) } } }),
  (random) => ({ title: { contains_ci: random.pick(words).toLowerCase() } }),
  (random) => ({ title: { starts_with: random.pick(words) } }),
  (random) => ({ title: { words: random.pick(words).toUpperCase() } }),
  (random) => ({ not: { words: `${random.pick(words).slice(0, 2)}* ${random.below(10)}*` } }),
  (random) => ({ tags: { has: random.pick(words) } }),
  () => ({ due_on: { lt: { field: 'returned_on' } } }),
  (random) => ({ is_paid: false, any: [{ state: random.pick(states) }, { due_on: { gte: dayOf(random) } }] }),
  (random) => ({ all: [{ not: { state: random.pick(states) } }, { fee: { ne: feeOf(random) } }] }),
  (random) => ({ id: { gt: random.below(300) } }),
];

/** `where` of a follower. */
export function newFilter(random: Random): string {
  return JSON.stringify({ any: [{ moment: { is: 'set' } }, random.pick(filters)(random)] });
}
