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
  /** A JSON pointer into the body or the parameter, as a URI fragment, if the place is inside of one of its members. */
  readonly pointer?: string;
  /** Of a summary: the query parameter that is wrong. */
  readonly parameter?: string;
  /** Of a transaction: the index of the operation, and its collection. */
  readonly operation?: number;
  readonly collection?: string | undefined;
};

/** What some failures say besides: the records that are in the way. */
export interface Details {
  already_exists: { readonly id: number };
  /** Absent if the key may not read the collection. */
  still_referenced: { readonly collection?: string; readonly count?: number; readonly first_id?: number };
  /** The number of records that match, if the check is on a number. */
  check_failed: { readonly count?: number };
}

/** Where `createMany` stopped. The source has these records in this order, and none of the others are in. */
export type BulkState = {
  /** Records from the start of the source that are in: so many were created, and with a key so many updated. */
  readonly created: number;
  readonly updated?: number;
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
  /** With this key, the same create or transaction can be sent again: it happens once. */
  readonly idempotencyKey: string | undefined;
  /** Only of `createMany`. */
  readonly bulk: BulkState | undefined;
  /** Only of a transaction: the index of the operation that failed. */
  readonly operation: number | undefined;
  /** Only of a transaction: the collection of that operation. */
  readonly collection: string | undefined;
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
  readonly operation: number | undefined;
  readonly collection: string | undefined;

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
    this.operation = specifics.operation;
    this.collection = specifics.collection;
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
  const { status, details, problems, requestId, retryAfter, idempotencyKey, bulk, operation, collection, cause } =
    failure;
  const common = {
    status,
    details,
    problems,
    requestId,
    retryAfter,
    idempotencyKey,
    bulk,
    operation,
    collection,
    cause,
  };
  return new ShelfError(more.code ?? failure.code, failure.message, { ...common, ...more });
}

export function invalidArgument(message: string): ShelfError {
  return new ShelfError('invalid_argument', message);
}
