/** The collections of the bank. Money is neither made nor lost, so all balances have the same sum at any moment. */
export const accountCount = 100;
export const openingCents = 10_000;
export const totalCents = accountCount * openingCents;

const amount = { type: 'decimal', scale: 2, min: '0' };
const account = { type: 'reference', to: 'accounts' };

/** Each move has its client's own number, so a transaction that is applied twice is visible even if its money is not. */
export const configuration = {
  collections: {
    accounts: { singular: 'account', fields: { balance: amount }, indexes: ['balance'] },
    moves: {
      singular: 'move',
      fields: { number: { type: 'integer', unique: true }, from: account, to: account, amount },
    },
  },
};

export type AccountBody = { readonly id: number; readonly balance: string; readonly version: number };
export type MoveBody = {
  readonly id: number;
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly amount: string;
};

/** The service shows both digits after the point. */
export const centsOf = (decimal: string) => Number(decimal.replace('.', ''));
export const decimalOf = (cents: number) => (cents / 100).toFixed(2);

/** Opens all accounts in one transaction. */
export const opening = JSON.stringify({
  operations: Array.from({ length: accountCount }, () => ({
    op: 'create',
    collection: 'accounts',
    record: { balance: decimalOf(openingCents) },
  })),
});
