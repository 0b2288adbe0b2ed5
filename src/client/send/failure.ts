/** The one class of failures. */
import type { Code, Statuses } from './codes.ts';

/** One problem of a body. */
export type Problem = {
  /** Undefined for the body as a whole. */
  readonly field: string | undefined;
  readonly detail: string;
  /** Of `createMany`: the place of the record in the source, counted from 1. */
  readonly line?: number;
  /** Of `createMany`: the place of an earlier record in the source that has the same unique value. */
  readonly earlierRecord?: number;
};

/** What some failures say besides: the records that are in the way. */
export interface Details {
  already_exists: { readonly id: number };
  /** Absent if the key may not read the collection. */
  still_referenced: { readonly collection?: string; readonly count?: number; readonly first_id?: number };
}

/** Where `createMany` stopped. The source has these records in this order, and none of the others are in. */
export type BulkState = {
  /** Records from the start of the source that are in. */
  readonly created: number;
  /** Records after them that may be in or not. */
  readonly unknown: number;
};

type Known<Of extends Code> = {
  readonly code: Of;
  readonly status: Statuses[Of];
  readonly details: Of extends keyof Details ? Details[Of] : Readonly<Record<string, unknown>>;
};

type Common = {
  /** Every problem of the body that was sent. */
  readonly problems: readonly Problem[];
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined;
  /** Seconds, if the server asked to wait. */
  readonly retryAfter: number | undefined;
  /** With this key, the same create can be sent again: the record is added once. */
  readonly idempotencyKey: string | undefined;
  /** Only of `createMany`. */
  readonly bulk: BulkState | undefined;
};

/** A union over the codes: a comparison of `code` or `status` narrows the type. */
export type ShelfError = Error & Common & { [Of in Code]: Known<Of> }[Code];

export type Specifics = Partial<Common> & {
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
};

class Failure extends Error {
  override readonly name = 'ShelfError';
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly bulk: BulkState | undefined;

  constructor(
    readonly code: Code,
    message: string,
    specifics: Specifics = {},
  ) {
    super(message, { cause: specifics.cause });
    this.status = specifics.status ?? 0;
    this.details = specifics.details ?? {};
    this.problems = specifics.problems ?? [];
    this.requestId = specifics.requestId;
    this.retryAfter = specifics.retryAfter;
    this.idempotencyKey = specifics.idempotencyKey;
    this.bulk = specifics.bulk;
  }
}

/**
 * Every failure of the client.
 *
 * @example
 * try {
 *   await shelf.books.update(book, { price: '9.50' });
 * } catch (error) {
 *   if (!(error instanceof ShelfError)) throw error;
 *   if (error.status === 412) console.log('Another client changed it: fetch it again');
 *   else if (error.code === 'already_exists') console.log(`Record ${error.details.id} has this value`);
 *   else console.log(error.code, error.status, error.problems);
 * }
 */
export const ShelfError = Failure as unknown as {
  /** With a union as its prototype, `instanceof` narrows to the union. */
  readonly prototype: ShelfError;
  new (code: Code, message: string, specifics?: Specifics): ShelfError;
};

/** A copy with more specifics. */
export function withMore(failure: ShelfError, more: Specifics & { readonly code?: Code }): ShelfError {
  const { code, status, details, problems, requestId, retryAfter, idempotencyKey, bulk, cause } = failure;
  const specifics = { status, details, problems, requestId, retryAfter, idempotencyKey, bulk, cause, ...more };
  return new ShelfError(more.code ?? code, failure.message, specifics);
}

export function invalidArgument(message: string): ShelfError {
  return new ShelfError('invalid_argument', message);
}
