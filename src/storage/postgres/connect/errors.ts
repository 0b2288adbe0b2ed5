/** Classifies errors of the database and its driver. */
import { Failure, type FailureCode, StartError, sentence } from '../../../domain/errors.ts';
import { isTlsError, tlsFix, tlsReason } from './tls-errors.ts';

type DriverError = { readonly code?: string; readonly errno?: string; readonly message?: string };

/** The SQLSTATE; undefined if the error does not come from the server. */
export function sqlState(error: unknown): string | undefined {
  const { errno } = error as DriverError;
  return typeof errno === 'string' && /^[0-9A-Z]{5}$/.test(errno) ? errno : undefined;
}

/**
 * Transient, so a retry may succeed: the server is down, starting, stopping, full, waiting for a lock, or a standby, or it has
 * ended a transaction that took too long because this instance had to wait for the processor.
 */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? isConnectionError(error) : /^(08|53|57|40|55P03|25006|25P0[34])/.test(state);
}

/** The connection failed: it broke, was closed, or did not answer in time, or there is no server to connect to. */
export function isConnectionError(error: unknown): boolean {
  const { code = '' } = error as DriverError;
  return (
    error instanceof Unanswered ||
    error instanceof NoPrimary ||
    isTlsError(error) ||
    /^(ERR_POSTGRES_(?!SERVER_ERROR|SYNTAX)|E[A-Z]+$)/.test(code)
  );
}

/** A write that was in flight may have been committed despite this error. */
export function mayBeCommitted(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || /^(08|57P)/.test(state);
}

/** A retry cannot succeed: the database, the schema, the role, its privileges or a certificate must change. */
export function isPermanent(error: unknown): boolean {
  return isTlsError(error) || /^(28|3D|3F|42|0A)/.test(sqlState(error) ?? '');
}

/** A function, column or table is not there. */
export function isMissing(error: unknown): boolean {
  return ['42883', '42703', '42P01'].includes(sqlState(error) ?? '');
}

/** First line of the message, for the operator. Messages of the server contain no secret. */
export function messageOf(error: unknown): string {
  const tls = tlsReason(error);
  if (tls !== undefined) return tls;
  const { message = String(error) } = error as DriverError;
  return message.split('\n')[0] ?? message;
}

/** What the operator can do about a database that cannot be used; `usual` if nothing better is known. */
export function fixFor(error: unknown, usual = 'check --database, and that its server is running'): string {
  // A URL without a name means the database of that user.
  const missing = sqlState(error) === '3D000' ? /"(\w+)"/.exec(messageOf(error))?.[1] : undefined;
  return tlsFix(error) ?? (missing === undefined ? usual : `create it with createdb ${missing}, or correct the URL`);
}

/** Another server may be the primary now: the connection failed, or the server stops, starts, or is a standby. */
export function mayHaveMoved(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? isConnectionError(error) : /^(08|57P|25006)/.test(state);
}

/** None of the servers of the database can be used. The message names them, for the operator; `reason` is for clients. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';

  constructor(
    message: string,
    readonly reason: string,
  ) {
    super(message);
  }
}

/** With the reason, if there is no server to use. */
export function failureOf(code: FailureCode, cause: unknown): Failure {
  return new Failure(code, {
    cause,
    ...(cause instanceof NoPrimary ? { detail: `${sentence(code)} ${cause.reason}` } : {}),
  });
}

/** The database did not answer before the deadline. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** A start ends with its line; a running server goes on. */
export class DatabaseUnavailable extends StartError {
  constructor(error: unknown) {
    super(`Cannot use the database (${messageOf(error)}): ${fixFor(error)}.`, { cause: error });
  }
}
