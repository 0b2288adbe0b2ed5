/** What an error of SQLite means for the write or read behind it. */

const codeOf = (error: unknown) => (error as { code?: string }).code ?? '';

/** Failures of the disk or the file: the whole batch fails, and trying it row by row would not help. */
const ofTheDisk = /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|BUSY|LOCKED|NOMEM|PROTOCOL)/;

/** The message, for the log; undefined where the statement is at fault and not the disk. */
export function diskError(error: unknown): string | undefined {
  return ofTheDisk.test(codeOf(error)) ? `${codeOf(error)}: ${(error as Error).message}` : undefined;
}

/**
 * A commit that failed so may be whole in the log all the same: the sync failed behind it, or the index of the log could
 * not grow. All other errors come before a commit is written.
 */
export function leavesDoubt(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_IOERR');
}

export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

const ofDamage = /^SQLITE_(CORRUPT|NOTADB)/;

/** The file is not what SQLite has written: nothing read from it can be trusted. */
export function isDamage(error: unknown): boolean {
  return ofDamage.test(codeOf(error));
}

/** The same of what `diskError` has answered. */
export function tellsOfDamage(cause: string): boolean {
  return ofDamage.test(cause);
}
