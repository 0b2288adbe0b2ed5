/** The app of a thread that serves, as the settings want it. */
import { lookup } from 'node:dns/promises';
import { compileAccess } from '../../domain/access/compiled-access.ts';
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { StartError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store/store.ts';
import { connectionClient, isLoopback, requestClient } from '../../http/access/client-address.ts';
import type { Issuer } from '../../http/access/issuer.ts';
import { issuerVerifier } from '../../http/access/issuer-tokens.ts';
import type { StartedAs } from '../../http/access/started-as.ts';
import type { ServedSettings } from '../../http/admin/settings.ts';
import { type App, createApp } from '../../http/app.ts';
import type { Audit } from '../../http/observe/audit.ts';
import type { HourFigures, LastHour } from '../../http/observe/last-hour.ts';
import type { Log } from '../../http/observe/log-entry.ts';
import type { Metrics } from '../../http/observe/metrics.ts';
import type { Telemetry } from '../../http/observe/telemetry.ts';
import type { ProcessState } from '../../threads/process-state.ts';
import { Load } from '../../wire/load.ts';
import { configSchema } from '../config/file-schema.ts';
import { verifierOf } from '../issuers/public-keys.ts';
import { signInsOf } from '../issuers/sign-ins.ts';
import type { FileBudget } from '../process/open-files.ts';
import type { Config } from '../settings/settings.ts';
import type { Declared } from '../takeover/generation.ts';

export type AppOptions = Config & {
  readonly version: string;
  readonly started?: StartedAs | undefined;
  readonly logTo: Log;
};

export type Observed = {
  readonly state: ProcessState;
  readonly load: Load;
  readonly metrics: Metrics | undefined;
  readonly hour: LastHour;
  /** Absent without an audit log. */
  readonly audit: Audit | undefined;
  /** Absent without OpenTelemetry. */
  readonly telemetry?: Telemetry | undefined;
  /** The figures of the process, where another thread keeps them. */
  readonly figures?: () => Promise<HourFigures>;
  readonly settings: ServedSettings;
  /** Starts the thread for large bodies with the first one. */
  readonly parseWhenNeeded?: boolean;
};

/** Bytes of bodies and answers that all clients may hold together. */
const maxHeld = 512 * 1024 * 1024;

/** A database in memory cannot be read during a write, so bulks must be small. */
const maxBulkInMemory = 16 * 1024 * 1024;

export type AppMaker = (declared: Declared, store: Store, observed: Observed) => App;

/** Throws a StartError: what is wrong in the settings is found before the database is opened. */
export async function appMaker(
  options: AppOptions,
  rules: AccessDeclaration | undefined,
  issuers: readonly Issuer[],
): Promise<AppMaker> {
  const { access, limits, log, server, database } = options;
  if (server.docs === 'admin' && access.auth === 'off')
    throw new StartError('--docs admin needs --auth write or --auth all: with --auth off no request has a key.');
  if (rules !== undefined && access.auth === 'off')
    throw new StartError(
      'The configuration file has roles, which need --auth write or --auth all: with --auth off no request has a caller.',
    );
  const local = await isLocal(server.host);
  const report = (error: unknown) => options.logTo({ level: 'error', event: 'error', request_id: '', error });
  const ofKeys = await verifierOf(access, report);
  const audience = access.oidcAudience.value;
  const verify = audience === undefined ? ofKeys : issuerVerifier(issuers, audience, ofKeys);
  return ({ collections, rules: declared }, store, observed) =>
    createApp({
      ...observed,
      collections,
      store,
      version: options.version,
      started: options.started,
      configSchema,
      console: server.console,
      signIns: signInsOf(access, issuers),
      docs: server.docs,
      access: {
        auth: access.auth,
        verify,
        declared,
        rules: declared === undefined ? undefined : compileAccess(declared, collections),
        issuers,
        rate: access.rateLimit.value,
        proxies: access.trustedProxy.value ?? [],
        origins: access.cors.value ?? [],
        hosts: hostsOf(server.host, access, local),
      },
      limits: {
        ...limits,
        maxBulk: database.url.kind === 'memory' ? Math.min(limits.maxBulk, maxBulkInMemory) : limits.maxBulk,
      },
      log: { write: options.logTo, level: log.format === 'off' ? 'off' : log.level, slow: log.slow },
      idempotency: database.idempotency,
      ageing: { deprecation: server.deprecation.value, sunset: server.sunset.value },
    });
}

/** The connections of the process, as this thread sees them. */
export function loadOf({ access }: Pick<Config, 'access'>, files: FileBudget, state: ProcessState): Load {
  const proxies = access.trustedProxy.value ?? [];
  return new Load(
    {
      maxConnections: files.connections,
      overLimitConnections: files.overLimit,
      maxHeld,
      connectionClient: connectionClient(proxies),
      requestClient: requestClient(proxies),
    },
    state,
  );
}

/** Whether a server on this host is reachable from this machine only. */
export async function isLocal(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true }).catch(() => {
    throw new StartError(`Cannot listen on ${host}: there is no such host. Check --host.`);
  });
  return addresses.every(({ address }) => isLoopback(address));
}

/**
 * The allowed values of Host; undefined for any. A server on loopback is exposed to the user's own browser: without a required
 * key, a page whose domain resolves to 127.0.0.1 (DNS rebinding) would have access. A trusted proxy only forwards the names
 * that it serves.
 */
function hostsOf(
  host: string,
  { auth, trustedProxy, allowedHosts }: Config['access'],
  local: boolean,
): readonly string[] | undefined {
  const open = local && auth !== 'all' && trustedProxy.value === undefined;
  return open || allowedHosts.value !== undefined ? [host, ...(allowedHosts.value ?? [])] : undefined;
}
