/** Environment variables whose meaning is more than their text: one that names a file, and old names that guarded a server. */
import { readFileSync } from 'node:fs';
import { StartError } from '../domain/errors.ts';
import { settings } from './settings/settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names a file with the URL of the database, so that a password need not be in the environment. */
export const databaseFile = `${settings.database.url.env}_FILE`;

/** A command line or an environment that cannot be followed. */
export class UsageError extends StartError {}

/** Undefined where the file is not named; the text is trimmed. */
export function readDatabaseFile(env: Environment): string | undefined {
  const path = env[databaseFile];
  // An empty variable counts as unset, as in a compose file that passes one through.
  if (!path) return undefined;
  if (env[settings.database.url.env]) {
    throw new UsageError(`${settings.database.url.env} and ${databaseFile} are both set: unset one of them.`);
  }
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new StartError(
      `Cannot read ${databaseFile} ${path} (${(error as Error).message}): check the path and its rights.`,
    );
  }
}

const { auth, jwtIssuer, jwtKeys, jwtAudience, rateLimit } = settings.access;
const guards = [auth, jwtIssuer, jwtKeys, jwtAudience, rateLimit] as const;

/**
 * Until 0.4 variables had no prefix. Most of the old names are ignored, because they may belong to another program. Those
 * that guard the server are not: an upgrade must not open it.
 */
export function requireNewNames(env: Environment, flags: ReadonlyMap<string, string>): void {
  for (const { flag, env: variable } of guards) {
    const old = variable.replace(/^SHELF_/, '');
    if (!env[old] || env[variable] || flags.has(flag)) continue;
    throw new UsageError(
      `${old} is called ${variable} since 0.5.0: rename it, or set ${variable} too if ${old} belongs to another program.`,
    );
  }
}
