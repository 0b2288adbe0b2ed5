/** Classifies the errors of SQLite. */

const codeOf = (error: unknown) => (error as { code?: string }).code ?? '';

/** Failures of the disk or the file: the whole batch fails, and a retry write by write cannot help. */
const diskCodes = /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|BUSY|LOCKED|NOMEM|PROTOCOL)/;

/** The message for the log; undefined if the statement failed and not the disk. */
export function diskError(error: unknown): string | undefined {
  return diskCodes.test(codeOf(error)) ? `${codeOf(error)}: ${(error as Error).message}` : undefined;
}

/**
 * True if the failed commit may still be complete in the WAL: the sync after it failed, or the WAL index could not grow.
 * All other errors occur before a commit is written.
 */
export function leavesDoubt(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_IOERR');
}

export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

const damageCodes = /^SQLITE_(CORRUPT|NOTADB)/;

/** True if the file is not as SQLite wrote it: no data read from it can be trusted. */
export function isDamage(error: unknown): boolean {
  return damageCodes.test(codeOf(error));
}

/** The same for a message that `diskError` returned. */
export function isDamageMessage(cause: string): boolean {
  return damageCodes.test(cause);
}
