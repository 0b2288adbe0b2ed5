/** The states of all accounts, as the changes of the feed make them one after the other. */
import type { AccountBody, MoveBody } from './accounts.ts';
import { centsOf, totalCents } from './accounts.ts';

export type BankChange = {
  readonly seq: number;
  readonly type: string;
  readonly transaction?: { readonly first: number; readonly size: number };
  readonly record: AccountBody | MoveBody;
};

export type AccountState = { readonly change: number; readonly cents: number };

export const isAccount = (change: BankChange): change is BankChange & { readonly record: AccountBody } =>
  change.type.startsWith('account.');
export const isMove = (change: BankChange): change is BankChange & { readonly record: MoveBody } =>
  change.type.startsWith('move.');

export class Timeline {
  /** The states of an account by its version, from 1. */
  readonly #states = new Map<number, AccountState[]>();
  /** The last change of its transaction, by change. */
  readonly #ends = new Map<number, number>();
  /** The change that added a move, by the id of the move. */
  readonly moves = new Map<number, number>();
  sum = 0;
  last = 0;

  /** Returns why the change cannot come next. */
  add(change: BankChange): string | undefined {
    const { seq, transaction } = change;
    if (seq <= this.last) return `feed: change ${seq} comes after ${this.last}`;
    this.last = seq;
    if (transaction !== undefined) this.#ends.set(seq, transaction.first + transaction.size - 1);
    if (isMove(change)) this.moves.set(change.record.id, seq);
    return isAccount(change) ? this.#account(seq, change.record) : undefined;
  }

  #account(change: number, { id, version, balance }: AccountBody): string | undefined {
    const states = this.#states.get(id) ?? [];
    this.#states.set(id, states);
    const cents = centsOf(balance);
    this.sum += cents - (states.at(-1)?.cents ?? 0);
    states.push({ change, cents });
    return states.length === version
      ? undefined
      : `feed: change ${change} has version ${version} of account ${id}, expected ${states.length}`;
  }

  stateOf(account: number, version: number): AccountState | undefined {
    return this.#states.get(account)?.[version - 1];
  }

  /** The last version of an account. */
  versionOf(account: number): number {
    return this.#states.get(account)?.length ?? 0;
  }

  /** How many accounts have a balance above this. */
  countAbove(cents: number): number {
    return [...this.#states.values()].filter((states) => (states.at(-1)?.cents ?? 0) > cents).length;
  }

  endOf(change: number): number {
    return this.#ends.get(change) ?? change;
  }

  /** At the end of a transaction. */
  get wrongSum(): string | undefined {
    return this.sum === totalCents ? undefined : `sum: ${this.sum} cents after change ${this.last}`;
  }
}
