/** Warns if other users of the machine can access the files of a SQLite database: it contains all data and key digests. */
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Call while the database is open, when all its files exist. Undefined if only their owner has access. */
export function modeWarning(path: string): string | undefined {
  const file = realpathSync(path);
  const wide = [dirname(file), file, `${file}-wal`, `${file}-shm`, `${file}-lock`].flatMap((name) => {
    const mode = (statSync(name, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
    return (mode & 0o077) === 0 ? [] : [`${name} (mode ${mode.toString(8)})`];
  });
  if (wide.length === 0) return undefined;
  return (
    `Warning: other users of this machine may reach the database: ${wide.join(', ')}. Keep it in its own folder with ` +
    'mode 700, and its files with mode 600.'
  );
}
