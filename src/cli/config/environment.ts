/** Environment variables with special rules: the file with the database URL, and old names of access settings. */
import { readFileSync } from 'node:fs';
import { StartError } from '../../domain/errors.ts';
import { settings } from '../settings/settings.ts';
import { parseSwitch } from '../settings/values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names a file that contains the database URL, so that the password need not be in the environment. */
export const databaseFile = `${settings.database.url.env}_FILE`;

/** An invalid command line or environment; the exit code is 2. */
export class UsageError extends StartError {}

/** The content of the file, trimmed; undefined if the variable is unset. */
export function readDatabaseFile(env: Environment): string | undefined {
  const path = env[databaseFile];
  // An empty variable is unset: a compose file may pass one through.
  if (!path) return undefined;
  if (env[settings.database.url.env]) {
    throw new UsageError(`${settings.database.url.env} and ${databaseFile} are both set: unset one of them.`);
  }
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new StartError(
      `Cannot read ${databaseFile} ${path} (${(error as Error).message}): check the path and its permissions.`,
    );
  }
}

/** The value of a flag that is on or off, and off if it is absent. */
export function switchOf(flags: ReadonlyMap<string, string>, flag: string): boolean {
  const value = parseSwitch(flags.get(flag) ?? 'off');
  if (value === undefined) throw new UsageError(`${flag} must be on or off.`);
  return value;
}

/** The only argument of a command that needs one. */
export function onlyWord([word, ...more]: readonly string[], usage: string): string {
  if (word === undefined || more.length > 0) throw new UsageError(`Usage: ${usage}`);
  return word;
}

const { auth, jwtIssuer, jwtKeys, jwtAudience, rateLimit } = settings.access;
const guards = [auth, jwtIssuer, jwtKeys, jwtAudience, rateLimit] as const;

/**
 * Until 0.4 variables had no prefix. Most old names are ignored, because they may belong to another program. Old names of
 * access settings are an error: an upgrade must not open a protected server.
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
