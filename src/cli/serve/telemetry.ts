/** OpenTelemetry: its code is loaded only if a collector is set. */
import type { ProcessOptions, ProcessTelemetry } from '../../telemetry/process-telemetry.ts';
import type { Counts } from '../../telemetry/request-metrics.ts';
import type { Signal, TelemetrySettings } from '../../telemetry/settings.ts';
import type { Database } from '../../telemetry/spans.ts';
import type { ThreadTelemetry } from '../../telemetry/thread-telemetry.ts';
import type { Calls } from '../../threads/calls.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../settings/settings.ts';

/** How long a stopping server waits for the collector. */
export const telemetryEndMs = 3000;

/** Batches that the first thread has not taken yet, at most. */
const maxHandedOver = 16;

const endpoints = ['', 'TRACES_', 'METRICS_', 'LOGS_'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`);

/** Undefined if nothing is to be sent. Rejects with a StartError that names a variable which is wrong. */
export async function telemetrySettings(env: Environment): Promise<TelemetrySettings | undefined> {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || !endpoints.some((name) => env[name])) return undefined;
  const { readSettings } = await import('../../telemetry/settings.ts');
  const settings = readSettings(env);
  return Object.keys(settings.targets).length === 0 ? undefined : settings;
}

export async function processTelemetry(
  settings: TelemetrySettings,
  options: ProcessOptions,
): Promise<ProcessTelemetry> {
  const { ProcessTelemetry: Opened } = await import('../../telemetry/process-telemetry.ts');
  return new Opened(settings, options);
}

/** For another thread, which hands over to the first one what is to be sent. */
export async function threadTelemetry(
  settings: TelemetrySettings,
  database: Database,
  main: Calls<TelemetryCalls>,
): Promise<ThreadTelemetry> {
  const { ThreadTelemetry: Opened } = await import('../../telemetry/thread-telemetry.ts');
  let handedOver = 0;
  let lost = 0;
  return new Opened(settings, database, (signal, bytes, count) => {
    if (handedOver === maxHandedOver) {
      lost += count;
      return;
    }
    handedOver++;
    const taken = () => handedOver--;
    main.takeTelemetry(signal, bytes, count, lost).then(taken, taken);
    lost = 0;
  });
}

export function databaseOf({ database: { url } }: Pick<Config, 'database'>): Database {
  return url.kind === 'postgres' ? 'postgresql' : 'sqlite';
}

/** Served by the main thread. */
export type TelemetryCalls = {
  /** `lost`: what was dropped before. */
  takeTelemetry(signal: Signal, bytes: Uint8Array, count: number, lost: number): void;
  /** The last figures of a thread that ends. */
  telemetryEnded(counts: Counts): void;
};

export function telemetryCalls(telemetry: ProcessTelemetry | undefined): TelemetryCalls {
  return {
    takeTelemetry: (signal, bytes, count, lost) => telemetry?.take(signal, bytes, count, lost),
    telemetryEnded: (counts) => telemetry?.threadEnded(counts),
  };
}
