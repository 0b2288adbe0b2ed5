/** Asks each of several servers for its role, and finds the primary among them. */

import { isPermanent, messageOf, NoPrimary } from '../connect/errors.ts';
import { type ConnectOptions, connect, withDeadline } from '../connect/pool.ts';
import { addressOf, serversOf } from '../connect/servers.ts';

export type PrimaryRole = {
  readonly kind: 'primary';
  readonly server: string;
  /** Each promotion begins a new timeline. */
  readonly timeline: number;
  /** Identifies the database cluster: all servers that replicate one another have the same. */
  readonly system: string;
  /** Whether a commit waits for a standby. */
  readonly isSynchronous: boolean;
};
export type Role =
  | PrimaryRole
  | { readonly kind: 'standby' | 'read-only'; readonly server: string }
  | { readonly kind: 'silent'; readonly server: string; readonly error: unknown };

export type RoleOptions = Omit<ConnectOptions, 'url' | 'giveUpOn'>;

/** The longest wait for one server. */
const patienceMs = 2000;
/** How much longer the others are waited for once a primary has answered: a former primary may answer, too. */
const graceMs = 200;

const roleStatement = `select pg_is_in_recovery(), current_setting('transaction_read_only'),
  case when pg_is_in_recovery() then null else pg_walfile_name(pg_current_wal_lsn()) end,
  (select system_identifier::text from pg_control_system()),
  current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local')`;

/** A role for each server, in order. One that does not answer in time is `silent`. */
export async function askRoles(servers: readonly string[], options: RoleOptions): Promise<readonly Role[]> {
  const roles = new Map<string, Role>();
  const enough = Promise.withResolvers<void>();
  let timer: Timer | undefined;
  const all = servers.map(async (server) => {
    const role = await roleOf(server, options);
    roles.set(server, role);
    if (role.kind === 'primary') timer ??= setTimeout(enough.resolve, graceMs);
  });
  await Promise.race([Promise.all(all), enough.promise]);
  clearTimeout(timer);
  return servers.map(
    (server) => roles.get(server) ?? { kind: 'silent', server, error: new Error('no answer in time') },
  );
}

async function roleOf(server: string, options: RoleOptions): Promise<Role> {
  const timeoutMs = Math.min(options.timeoutMs, patienceMs);
  const sql = connect(
    { ...options, url: server, timeoutMs, giveUpOn: 'statement_timeout' },
    { max: 1, idleTimeout: 0 },
  );
  try {
    const [row = []] = await withDeadline(sql.unsafe(roleStatement).values(), performance.now() + timeoutMs);
    const [inRecovery, readOnly, segment, system, isSynchronous] = row;
    if (inRecovery === true) return { kind: 'standby', server };
    if (readOnly === 'on') return { kind: 'read-only', server };
    const timeline = timelineOf(segment);
    return { kind: 'primary', server, timeline, system: String(system), isSynchronous: isSynchronous === true };
  } catch (error) {
    return { kind: 'silent', server, error };
  } finally {
    sql.close({ timeout: 0 }).catch(() => {});
  }
}

/** The name of a WAL segment begins with the timeline, as 8 hexadecimal digits. */
export function timelineOf(segment: unknown): number {
  return Number.parseInt(String(segment).slice(0, 8), 16);
}

/** The primary on the newest timeline. A server on an earlier one than `known` was the primary before it. */
export function newestPrimary(roles: readonly Role[], known?: PrimaryRole): PrimaryRole | undefined {
  const primaries = roles.filter((role) => role.kind === 'primary');
  const newest = primaries.toSorted((left, right) => right.timeline - left.timeline)[0];
  const isFormer = newest !== undefined && newest.system === known?.system && newest.timeline < known.timeline;
  return isFormer ? undefined : newest;
}

/** Why none of the servers can be used. If a retry cannot help on any of them, the error of the first. */
export function noPrimary(roles: readonly Role[]): unknown {
  const errors = roles.flatMap((role) => (role.kind === 'silent' ? [role.error] : []));
  if (errors.length === roles.length && errors.every(isPermanent)) return errors[0];
  const reasons = roles.map(
    (role) =>
      `${addressOf(role.server)} ${role.kind === 'silent' ? `does not answer (${messageOf(role.error)})` : states[role.kind]}`,
  );
  const counts = Object.entries(Object.groupBy(roles, ({ kind }) => kind)).map(
    ([kind, some]) => `${some.length} ${plural[kind as Role['kind']]}`,
  );
  return new NoPrimary(
    `no server accepts writes: ${reasons.join(', ')}`,
    `No database server accepts writes (${counts.join(', ')}).`,
  );
}

const states = {
  primary: 'was the primary before another server',
  standby: 'is a standby',
  'read-only': 'is read-only',
};
const plural = { primary: 'former primary', standby: 'standby', 'read-only': 'read-only', silent: 'without an answer' };

/** The server of a URL that accepts writes, for a command. Rejects if there is none. */
export async function findPrimary(url: string, options: RoleOptions): Promise<string> {
  const servers = serversOf(url);
  const [only] = servers;
  if (servers.length === 1 && only !== undefined) return only;
  const roles = await askRoles(servers, options);
  const primary = newestPrimary(roles);
  if (primary === undefined) throw noPrimary(roles);
  return primary.server;
}
