/** Whether other users of the machine can reach the files of a SQLite database, which holds all there is to guard. */
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Of a database that is open, so that all of its files are there; undefined where they are its owner's alone. */
export function modeWarning(path: string): string | undefined {
  const file = realpathSync(path);
  const wide = [dirname(file), file, `${file}-wal`, `${file}-shm`, `${file}-lock`].flatMap((name) => {
    const mode = (statSync(name, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
    return (mode & 0o077) === 0 ? [] : [`${name} (mode ${mode.toString(8)})`];
  });
  if (wide.length === 0) return undefined;
  return (
    `Warning: other users of this machine may reach the database: ${wide.join(', ')}. Keep it in a folder of its own ` +
    'with mode 700, and its files at 600.'
  );
}
