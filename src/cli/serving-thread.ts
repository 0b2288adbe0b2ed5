/** One more thread that serves: the same port, settings, file and memory as the first one. */
import type { MessagePort } from 'node:worker_threads';
import type { AccessDeclaration } from '../domain/access/declaration.ts';
import { collection } from '../domain/record/collection.ts';
import type { Declarations } from '../domain/record/declaration.ts';
import type { IssuerState } from '../http/access/issuer.ts';
import type { StartedAs } from '../http/access/started-as.ts';
import { LastHour } from '../http/observe/last-hour.ts';
import type { Log } from '../http/observe/log-entry.ts';
import { Metrics } from '../http/observe/metrics.ts';
import { openOnThread } from '../storage/open.ts';
import type { TelemetrySettings } from '../telemetry/settings.ts';
import type { ThreadTelemetry } from '../telemetry/thread-telemetry.ts';
import { type Calls, callsOf, serveCalls } from '../threads/calls.ts';
import type { ProcessState } from '../threads/process-state.ts';
import { remoteTickets } from '../threads/remote-tickets.ts';
import type { TlsFiles } from '../wire/port/tls.ts';
import { issuersOverMain } from './issuers/issuers.ts';
import { auditOverMain, auditTo } from './log/audit-file.ts';
import { logOverMain } from './log/log-writer.ts';
import { guardHeap } from './process/heap-guard.ts';
import { usableMemory } from './process/memory-limit.ts';
import type { FileBudget } from './process/open-files.ts';
import { processFigures } from './process/process-figures.ts';
import { listenOn } from './serve/listeners.ts';
import { appMaker, loadOf, type Observed } from './serve/serving-app.ts';
import { databaseOf, threadTelemetry } from './serve/telemetry.ts';
import { type MainCalls, type ReportCalls, reportCalls } from './serve/thread-calls.ts';
import type { Config } from './settings/settings.ts';
import { Generation } from './takeover/generation.ts';
import { settingsOverMain } from './takeover/remote-settings.ts';
import type { Next } from './takeover/takeover.ts';

declare const self: Worker;

/** The first message. */
export type ServingSetup = {
  readonly config: Config;
  /** Of log lines. */
  readonly form: 'json' | 'text';
  readonly declarations: Declarations;
  readonly rules: AccessDeclaration | undefined;
  readonly version: string;
  readonly started: StartedAs | undefined;
  /** The port that the first thread listens on. */
  readonly port: number;
  readonly tls: TlsFiles | undefined;
  readonly files: FileBudget;
  readonly state: ProcessState;
  /** Undefined without OpenTelemetry. */
  readonly telemetry: TelemetrySettings | undefined;
  /** Of `Store.sharing`. */
  readonly store: unknown;
  readonly calls: MessagePort;
};

/** Most other messages: a port to the writing thread, or why there is none. */
export type WriterMessage = { readonly take: MessagePort } | { readonly lose: string };

/** In between: the store with the next declarations, whose writer the next messages are about. */
export type NextMessage = { readonly next: Next & Pick<ServingSetup, 'store'> };

/** What the first thread can ask for. */
export type ThreadCalls = ReportCalls & {
  /** Resolves when requests can be served. */
  ready(): Promise<void>;
  drain(): void;
  renew(tls: TlsFiles): void;
  /** An issuer of tokens was read. */
  adoptIssuer(name: string, state: IssuerState): void;
  /** The steps of a takeover: holds new requests, and resolves with how many in flight have not ended within the time. */
  finish(withinMs: number): Promise<number>;
  retire(): Promise<void>;
  release(): Promise<void>;
  /** Accepts no more requests, waits for those in flight, and closes its part of the database. */
  stop(withinMs: number): Promise<void>;
  /** Ends the wait of `stop`. */
  hurry(): void;
};

self.onmessage = ({ data: setup }: MessageEvent<ServingSetup>) => {
  // The first thread may ask before this one serves.
  serveCalls(setup.calls, start(setup, callsOf<MainCalls>(setup.calls)));
};

/** Rejects with the reason why this thread cannot serve, and so does each call. */
async function start(setup: ServingSetup, main: Calls<MainCalls>): Promise<ThreadCalls> {
  const { config, form, declarations, rules, version, started, port, tls, files, state } = setup;
  const lines = logOverMain(form, main);
  let telemetry: ThreadTelemetry | undefined;
  const logAndSend: Log = (entry, now) => {
    lines.log(entry, now);
    telemetry?.log(entry, now);
  };
  const logTo = setup.telemetry === undefined ? lines.log : logAndSend;
  process.on('unhandledRejection', (error) => logTo({ level: 'error', event: 'error', request_id: '', error }));
  guardHeap(usableMemory());
  const metrics = config.log.metrics ? new Metrics(() => main.metricsOfOthers()) : undefined;
  const hour = new LastHour(new Date().toISOString());
  let opened = open({ declarations, rules, store: setup.store });
  let ready: Promise<unknown> = opened.store.admin.ready;
  let adopted = Promise.withResolvers<void>();
  self.onmessage = ({ data }: MessageEvent<WriterMessage | NextMessage>) => {
    if ('take' in data) opened.writer.take(data.take);
    else if ('lose' in data) opened.writer.lose(new Error(data.lose));
    else adopt(data.next).then(adopted.resolve, adopted.reject);
  };
  // Not before the ports of the writing thread can arrive.
  if (setup.telemetry !== undefined) telemetry = await threadTelemetry(setup.telemetry, databaseOf(config), main);
  const issuers = issuersOverMain(config.access.oidcIssuer.value ?? [], main);
  const makeApp = await appMaker({ ...config, version, started, logTo }, rules, issuers);
  const load = loadOf(config, files, state);
  const auditLines = config.log.audit.value === undefined ? undefined : auditOverMain(main);
  const observed: Observed = {
    state,
    load,
    metrics,
    hour,
    audit: auditLines === undefined ? undefined : auditTo(auditLines),
    figures: () => main.figures(),
    settings: settingsOverMain(main),
    parseWhenNeeded: true,
    telemetry,
  };
  const own = new Generation(makeApp(opened.declared, opened.store, observed), opened.store, () => port);
  const address = { hostname: config.server.host, port, sharePort: true };
  const listening = listenOn([{ address, tls, handlers: own.entrance }], {
    ...config.limits,
    load,
  });
  const figures = metrics === undefined ? undefined : processFigures(version);
  metrics?.add(...(figures?.gauges ?? []));
  const hurry = new AbortController();

  function open({ declarations, rules, store }: NextMessage['next']) {
    const collections = Object.entries(declarations).map(([name, declaration]) => collection(name, declaration));
    const found = openOnThread(store, collections, {
      ...config,
      files,
      state,
      onWaiting: () => {},
      onCommit: (writes, ms, stored) => {
        hour.commit(writes, ms);
        metrics?.commit(writes, ms, stored);
        telemetry?.metrics.commit(ms, stored);
      },
      onTrouble: (message) => logTo({ level: 'error', event: 'storage', message }),
      tickets: remoteTickets(main),
    });
    return { ...found, declared: { collections, rules } };
  }

  async function adopt(next: NextMessage['next']): Promise<void> {
    opened = open(next);
    const { store, declared } = opened;
    own.adopt(makeApp(declared, store, observed), store);
    await Promise.all([store.admin.ready, own.app.ready]);
  }

  return {
    ...reportCalls({ metrics, hour, writesWaiting: () => own.store.admin.figures().writesWaiting, telemetry }),
    ready: async () => {
      await Promise.all([ready, own.app.ready]);
    },
    finish: (withinMs) => own.finish(withinMs),
    retire() {
      // The next declarations come over another port than the question whether they can be served.
      adopted = Promise.withResolvers();
      ready = adopted.promise;
      return own.retire();
    },
    release: () => own.release(),
    drain() {
      own.app.drain();
      listening.drain();
    },
    renew: (renewed) => listening.renew(renewed),
    adoptIssuer: (name, known) => issuers.find((issuer) => issuer.name === name)?.adopt(known),
    async stop(withinMs) {
      figures?.stop();
      await listening.stop(withinMs, hurry.signal);
      if (!hurry.signal.aborted) await own.app.settle().catch(() => {});
      await own.app.close();
      await own.store.admin.close();
      telemetry?.flush();
      await Promise.all([
        lines.flush(),
        auditLines?.flush(),
        telemetry && main.telemetryEnded(telemetry.metrics.counts),
      ]);
    },
    hurry: () => hurry.abort(),
  };
}
