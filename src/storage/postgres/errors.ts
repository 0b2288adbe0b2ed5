/** Classifies errors of the database and its driver. */

type DriverError = { readonly code?: string; readonly errno?: string; readonly message?: string };

/** The SQLSTATE; undefined if the error does not come from the server. */
export function sqlState(error: unknown): string | undefined {
  const { errno } = error as DriverError;
  return typeof errno === 'string' && /^[0-9A-Z]{5}$/.test(errno) ? errno : undefined;
}

/** Transient, so a retry may succeed: the server is down, starting, stopping, full, waiting for a lock, or a standby. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? isConnectionError(error) : /^(08|53|57|40|55P03|25006)/.test(state);
}

/** The connection failed: it broke, was closed, or did not answer in time. */
export function isConnectionError(error: unknown): boolean {
  const { code = '' } = error as DriverError;
  return error instanceof Unanswered || /^(ERR_POSTGRES_(?!SERVER_ERROR|SYNTAX)|E[A-Z]+$)/.test(code);
}

/** A write that was in flight may have been committed despite this error. */
export function mayBeCommitted(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || /^(08|57P)/.test(state);
}

/** A retry cannot succeed: the database, the schema, the role or its privileges must change. */
export function isPermanent(error: unknown): boolean {
  return /^(28|3D|3F|42|0A)/.test(sqlState(error) ?? '');
}

/** A function, column or table is not there. */
export function isMissing(error: unknown): boolean {
  return ['42883', '42703', '42P01'].includes(sqlState(error) ?? '');
}

/** First line of the message, for the operator. Messages of the server contain no secret. */
export function messageOf(error: unknown): string {
  const { message = String(error) } = error as DriverError;
  return message.split('\n')[0] ?? message;
}

/** The database did not answer before the deadline. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}
