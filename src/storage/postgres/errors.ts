/** What an error of the database means for the request behind it. */

type DriverError = { readonly code?: string; readonly errno?: string; readonly message?: string };

/** The SQLSTATE, where the server itself has answered. */
export function sqlState(error: unknown): string | undefined {
  const { errno } = error as DriverError;
  return typeof errno === 'string' && /^[0-9A-Z]{5}$/.test(errno) ? errno : undefined;
}

/** It will pass: the server is away, starting, stopping, full, busy with somebody else's lock, or a standby. */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? isOfConnection(error) : /^(08|53|57|40|55P03|25006)/.test(state);
}

/** The connection is of no more use: it broke, was cut, or leads to a server that does not take writes (any more). */
export function isOfConnection(error: unknown): boolean {
  const { code = '' } = error as DriverError;
  return error instanceof Unanswered || /^(ERR_POSTGRES_(?!SERVER_ERROR|SYNTAX)|E[A-Z]+$)/.test(code);
}

/** A write that was under way when this happened may have been committed all the same. */
export function leavesUnknown(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || /^(08|57P)/.test(state);
}

/** Waiting does not help: who connects, to what, and as whom must change. */
export function isPermanent(error: unknown): boolean {
  return /^(28|3D|3F|42|0A)/.test(sqlState(error) ?? '');
}

/** One line for people; the server's own words, which hold no secret. */
export function wordsOf(error: unknown): string {
  const { message = String(error) } = error as DriverError;
  return message.split('\n')[0] ?? message;
}

/** The database was asked and has not answered in time. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}
