/** A running server: an app on a port, over an open store. */
import { declarationsOf } from '../../declarations/plan.ts';
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Store } from '../../domain/store/store.ts';
import { LastHour, sampleMs } from '../../http/observe/last-hour.ts';
import { Metrics } from '../../http/observe/metrics.ts';
import { openEngine, startPermission } from '../../storage/open.ts';
import type { TelemetrySettings } from '../../telemetry/settings.ts';
import type { Calls } from '../../threads/calls.ts';
import { newProcessState } from '../../threads/process-state.ts';
import type { Pauses } from '../issuers/issuer-reader.ts';
import { Issuers, requireIssuerSettings } from '../issuers/issuers.ts';
import { requireSignInSettings } from '../issuers/sign-ins.ts';
import { AuditFile, auditTo } from '../log/audit-file.ts';
import type { LineWriter } from '../log/line-queue.ts';
import { fileBudget } from '../process/open-files.ts';
import { processFigures } from '../process/process-figures.ts';
import type { Config } from '../settings/settings.ts';
import { ConfigWatch } from '../takeover/config-watch.ts';
import { FileFollower } from '../takeover/file-follower.ts';
import { type Declared, Generation } from '../takeover/generation.ts';
import { type LiveOptions, LiveSettings } from '../takeover/live-settings.ts';
import { Takeover } from '../takeover/takeover.ts';
import { readIdentity } from './certificates.ts';
import { type EndpointOptions, openEndpoints } from './listeners.ts';
import { type AppOptions, appMaker, isLocal, loadOf } from './serving-app.ts';
import { ServingThreads } from './serving-threads.ts';
import { databaseOf, processTelemetry, telemetryEndMs } from './telemetry.ts';
import { mainCalls, metricsOf, type ReportCalls } from './thread-calls.ts';
import { threadCount } from './thread-count.ts';

export type Running = {
  readonly url: string;
  /** With the declarations of the start. */
  readonly store: Store;
  /** Resolves when requests can be served; rejects with a StartError if they never can be. */
  readonly ready: Promise<void>;
  /** `/readyz` fails and each answer closes its connection; otherwise the server continues until `stop`. */
  drain(): void;
  /** Accepts no more requests, waits for those in flight for `withinMs` or until `atOnce`, and closes the database. */
  stop(withinMs: number, atOnce?: AbortSignal): Promise<void>;
};

export type Options = AppOptions &
  EndpointOptions & {
    readonly collections: readonly Collection[];
    /** Roles, and the rules of each collection; undefined if the file has none. */
    readonly rules?: AccessDeclaration | undefined;
    /** The configuration file that the declarations are from; absent for none. */
    readonly file?: LiveOptions['file'];
    /** Copies the database before a step that loses values; absent where nothing can. */
    readonly backUp?: LiveOptions['backUp'];
    /** Between two attempts to read an issuer. Only tests give them, so that they need not wait for the usual ones. */
    readonly issuerPauses?: Pauses;
    /** Called at most once, if the database does not answer at startup. */
    readonly onWaiting: (line: string) => void;
    /** Where other threads write their lines, and in which form. */
    readonly lines: { readonly form: 'json' | 'text'; readonly log: LineWriter };
    /** Called with one line if a serving thread ends, which must end the process. */
    readonly onThreadEnd: (line: string) => void;
    /** Undefined without OpenTelemetry. */
    readonly telemetry?: TelemetrySettings | undefined;
  };

/** Interval between trims of the history and of idempotency keys. */
const trimEveryMs = 3_600_000;
const firstTrimMs = 60_000;
/** Interval between notes of when API keys were last used. */
const settleEveryMs = 60_000;
/** Interval between looks whether another instance has taken the file over, once it has another text. */
const followMs = 1_000;

export async function serve(given: Options): Promise<Running> {
  const reports: Calls<ReportCalls>[] = [];
  const telemetry =
    given.telemetry &&
    (await processTelemetry(given.telemetry, {
      database: databaseOf(given),
      log: given.logTo,
      ofOthers: () => Promise.all(reports.map((thread) => thread.telemetryCounts())),
    }));
  const options = telemetry === undefined ? given : { ...given, logTo: telemetry.log };
  const { collections, limits, log } = options;
  const identity = readIdentity(options.tls);
  const engine = options.database.url;
  const report = (error: unknown) => options.logTo({ level: 'error', event: 'error', request_id: '', error });
  requireIssuerSettings(options.access);
  requireSignInSettings(options);
  let others: ServingThreads | undefined;
  const issuers = new Issuers(
    options.access.oidcIssuer.value ?? [],
    options.logTo,
    (name, state) => others?.adoptIssuer(name, state),
    options.issuerPauses,
  );
  const makeApp = await appMaker(options, options.rules, issuers.known);
  const auditFile = log.audit.value === undefined ? undefined : new AuditFile(log.audit.value, options.logTo);
  const metrics = log.metrics ? new Metrics(() => metricsOf(reports)) : undefined;
  const hour = new LastHour(new Date().toISOString());
  const threads = threadCount(options).count;
  const files = fileBudget(options, threads);
  const state = newProcessState();
  const store = openEngine(engine, collections, {
    ...options,
    files,
    state,
    onCommit: (writes, ms, stored) => {
      hour.commit(writes, ms);
      metrics?.commit(writes, ms, stored);
      telemetry?.thread.metrics.commit(ms, stored);
    },
    onTrouble: (message) => options.logTo({ level: 'error', event: 'storage', message }),
    onWarning: (message) => options.logTo({ level: 'warn', event: 'storage', message }),
    onStep: (message) => options.logTo({ level: 'info', event: 'storage', message }),
  });
  try {
    const load = loadOf(options, files, state);
    const audit = auditFile === undefined ? undefined : auditTo(auditFile.lines);
    const settings = new LiveSettings({
      ...{ config: options, file: options.file, closed: await whyClosed(options), backUp: options.backUp },
      takeover: () => takeover,
      log: (level, message) => options.logTo({ level, event: 'settings', message }),
    });
    const follower = new FileFollower({
      ...{ live: settings, isWatching: options.server.watchConfig, permission: startPermission(engine) },
      takeover: () => takeover,
      log: (level, message) => options.logTo({ level, event: 'settings', message }),
    });
    const observed = { state, load, metrics, hour, audit, settings, telemetry: telemetry?.thread };
    const declared: Declared = { collections, rules: options.rules };
    const own = new Generation(makeApp(declared, store, observed), store, () => server.port);
    const takeover = new Takeover(declared, {
      own,
      others: () => others,
      makeApp: (next, opened) => makeApp(next, opened, observed),
      onStep: (message) => options.logTo({ level: 'info', event: 'storage', message }),
      onLost: (error) => options.onThreadEnd(lostLine(error)),
    });
    const server = await openEndpoints(
      { ...options, onRenewal: async (renewed) => others?.renew(renewed) },
      identity,
      own,
      { ...limits, load },
    );
    const isShared = threads > 1 && server.share();
    if (threads > 1 && !isShared && options.server.threads !== 'auto') {
      await server.stop(0);
      throw new StartError('This system cannot share an open port between threads: set --threads 1.');
    }
    others =
      store.admin.sharing === undefined || !isShared
        ? undefined
        : new ServingThreads({
            count: threads - 1,
            sharing: store.admin.sharing,
            setup: {
              config: configOf(options),
              form: options.lines.form,
              declarations: declarationsOf(collections),
              rules: options.rules,
              version: options.version,
              started: options.started,
              port: server.port,
              tls: identity?.certificate.files,
              files,
              state,
              telemetry: options.telemetry,
            },
            join(thread) {
              reports.push(thread);
              return mainCalls(reports, thread, {
                metrics,
                hour,
                tickets: store.admin.tickets,
                settings,
                issuers,
                log: options.lines.log,
                audit: auditFile?.lines,
                telemetry,
              });
            },
            onEnd: options.onThreadEnd,
          });
    const watch =
      options.server.watchConfig || engine.kind === 'postgres'
        ? new ConfigWatch(settings.file.path, () => follower.look(), options.server.watchConfig ? undefined : followMs)
        : undefined;
    // Now all threads hear of it.
    const issuersRead = issuers.read();
    metrics?.add(...server.gauges);
    const figures = metrics === undefined ? undefined : processFigures(options.version);
    metrics?.add(...(figures?.gauges ?? []));
    // Not right after the start, when clients wait to be served.
    const firstTrim = setTimeout(() => trim(own.store, options), firstTrimMs);
    const trimming = setInterval(() => trim(own.store, options), trimEveryMs);
    const sample = async () => {
      for (const tally of await Promise.all(reports.map((thread) => thread.takeTally()))) hour.merge(tally);
      hour.sample(new Date().toISOString(), { memory_bytes: process.memoryUsage.rss(), ...own.app.gauges() });
    };
    const sampling = setInterval(() => sample().catch(report), sampleMs);
    const settle = () => own.app.settle().catch((error) => (error instanceof Failure ? undefined : report(error)));
    const settling = setInterval(settle, settleEveryMs);
    return {
      url: server.url,
      store,
      ready: Promise.all([store.admin.ready, own.app.ready, others?.ready, issuersRead]).then(() => {}),
      drain: () => {
        own.app.drain();
        server.drain();
        others?.drain();
      },
      stop: async (withinMs, atOnce) => {
        watch?.stop();
        clearTimeout(firstTrim);
        clearInterval(trimming);
        clearInterval(settling);
        clearInterval(sampling);
        figures?.stop();
        issuers.stop();
        await takeover.settled;
        await Promise.all([server.stop(withinMs, atOnce), others?.stop(withinMs, atOnce)]);
        await auditFile?.close();
        if (atOnce?.aborted !== true) await settle();
        await own.app.close();
        await own.store.admin.close();
        await telemetry?.close(atOnce?.aborted ? 0 : telemetryEndMs);
      },
    };
  } catch (error) {
    issuers.stop();
    await store.admin.close();
    await telemetry?.close(0);
    throw error;
  }
}

/** Why no change of the declarations is accepted; undefined if changes are. */
async function whyClosed({ server, access }: Config): Promise<string | undefined> {
  if (!server.consoleSchema) return '--console-schema is off';
  if (access.auth !== 'off' || (await isLocal(server.host))) return undefined;
  return `--auth is off, and other machines can reach this server at ${server.host}`;
}

function lostLine(error: unknown): string {
  return `The database was migrated, and its new declarations cannot be served (${error instanceof Error ? error.message : error}): restart the server.`;
}

/** The settings alone, which can be posted. */
function configOf({ server, tls, database, access, limits, log }: Config): Config {
  return { server, tls, database, access, limits, log };
}

/** Deletes changes and idempotency keys past their retention, in small transactions. */
async function trim(store: Store, { database: { history, idempotency }, logTo }: Options): Promise<void> {
  try {
    while ((await store.feed.trim(history)) > 0) await Bun.sleep(100);
    await store.admin.forgetIdempotencyKeys(idempotency);
  } catch (error) {
    // The server is stopping, or the database does not answer: a later trim catches up.
    if (error instanceof Failure) return;
    logTo({ level: 'error', event: 'error', request_id: '', error });
  }
}
