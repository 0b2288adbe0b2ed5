/** A move of money from one account to another: one transaction with two sums and a record of the move. */
import type { Random } from '../../test/support/data/random.ts';
import { accountCount, decimalOf, openingCents } from './accounts.ts';

/** What must be true of the account `from`, or of all accounts, right before the transaction. */
export type Guard =
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'balance'; readonly atLeast: number }
  /** At most so many accounts have a balance above `cents`. */
  | { readonly kind: 'count'; readonly cents: number; readonly most: number };

export type Move = {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly cents: number;
  readonly guard?: Guard | undefined;
};

/** Many clients meet at these accounts. */
const busyAccounts = 5;

/** `versionOf` is the version of an account that an answer has shown, which may be old. */
export function anyMove(random: Random, number: number, versionOf: (account: number) => number): Move {
  const account = () => 1 + random.below(random.chance(0.3) ? busyAccounts : accountCount);
  const from = account();
  // From an account to itself: only its version shows a part of such a transaction.
  const other = random.chance(0.9) ? account() : from;
  // More than any balance, in some: such a transaction fails after a part of it was applied.
  const cents = 1 + random.below(random.chance(0.05) ? 100 * openingCents : openingCents / 2);
  const move = { number, from, to: other, cents };
  if (from === other || random.chance(0.3)) return move;
  return { ...move, guard: anyGuard(random, cents, versionOf(from)) };
}

function anyGuard(random: Random, cents: number, version: number): Guard {
  switch (random.below(3)) {
    case 0:
      return { kind: 'version', version };
    case 1:
      return { kind: 'balance', atLeast: cents };
    default:
      return { kind: 'count', cents: openingCents, most: random.between(0.2, 0.8) * accountCount };
  }
}

/** The body of the transaction. Which operation is first is random, so another one is the one that fails. */
export function bodyOf({ number, from, to, cents, guard }: Move, random: Random): string {
  const amount = decimalOf(cents);
  const isChecked = random.chance(0.5);
  const target = { collection: 'accounts', id: from };
  const conditions = guard === undefined ? undefined : conditionsOf(guard);
  const take = { op: 'add', ...target, ...(isChecked ? {} : conditions), record: { balance: `-${amount}` } };
  const give = { op: 'add', collection: 'accounts', id: to, record: { balance: amount } };
  const write = { op: 'create', collection: 'moves', as: 'move', record: { number, from, to, amount } };
  const look = { op: 'check', collection: 'moves', id: { created: 'move' }, version: 1 };
  const changes = random.shuffled([[take], [give], random.chance(0.2) ? [write, look] : [write]]).flat();
  const check = isChecked && conditions !== undefined ? [{ op: 'check', ...target, ...conditions }] : [];
  const operations = [...check, ...(guard?.kind === 'count' ? [countOf(guard)] : []), ...changes];
  return JSON.stringify({ operations, ...(random.chance(0.2) ? { return: 'records' } : {}) });
}

/** Of the account itself. */
function conditionsOf(guard: Guard): object | undefined {
  if (guard.kind === 'version') return { version: guard.version };
  return guard.kind === 'balance' ? { where: { balance: { gte: decimalOf(guard.atLeast) } } } : undefined;
}

function countOf({ cents, most }: Extract<Guard, { kind: 'count' }>): object {
  const where = { balance: { gt: decimalOf(cents) } };
  return { op: 'check', collection: 'accounts', where, count: { lte: Math.floor(most) } };
}
