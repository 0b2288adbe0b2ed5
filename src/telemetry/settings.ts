/** Reads the standard variables of OpenTelemetry (OTEL_*). The result is plain data, which can be posted to threads. */
import { version } from '../../package.json' with { type: 'json' };
import { StartError } from '../domain/errors.ts';
import { type SamplerSettings, samplerNames } from './sampler.ts';

export const signals = ['traces', 'metrics', 'logs'] as const;
export type Signal = (typeof signals)[number];

const protocols = ['http/protobuf', 'http/json'] as const;
const compressions = ['gzip', 'none'] as const;

/** Where a signal is sent, and how. */
export type Target = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly protocol: (typeof protocols)[number];
  readonly compression: (typeof compressions)[number];
};

export type TelemetrySettings = {
  /** Without the signals that are not sent. */
  readonly targets: Readonly<Partial<Record<Signal, Target>>>;
  readonly sampler: SamplerSettings;
  /** Attributes of this process. */
  readonly resource: Readonly<Record<string, string>>;
  /** How often metrics are sent. */
  readonly metricsMs: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

const maxMs = 2 ** 31 - 1;

/** Throws a StartError that names the variable. */
export function readSettings(env: Environment): TelemetrySettings {
  for (const signal of signals) refuseCertificates(env, signal);
  const targets = signals.flatMap((signal) => {
    const target = targetOf(env, signal);
    return target === undefined ? [] : [[signal, target] as const];
  });
  return {
    targets: Object.fromEntries(targets),
    sampler: samplerOf(env),
    resource: resourceOf(env),
    metricsMs: milliseconds(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000,
  };
}

const trusted = 'name a file of certificates to trust in NODE_EXTRA_CA_CERTS';
const relayed = 'send to a collector on this machine, which has its own certificate';
const unsupported = { CERTIFICATE: trusted, CLIENT_KEY: relayed, CLIENT_CERTIFICATE: relayed };

function refuseCertificates(env: Environment, signal: Signal): void {
  for (const [what, instead] of Object.entries(unsupported)) {
    const name = nameOf(env, signal, what);
    if (env[name]) throw new StartError(`${name} is not supported: ${instead}.`);
  }
}

/** A variable of one signal counts before that of all signals. An empty variable is unset. */
function nameOf(env: Environment, signal: Signal, what: string): string {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${what}`;
  return env[own] ? own : `OTEL_EXPORTER_OTLP_${what}`;
}

/** Undefined if the signal has no endpoint, or its exporter is `none`. */
function targetOf(env: Environment, signal: Signal): Target | undefined {
  const exporter = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  if (oneOf(env, exporter, ['otlp', 'none'] as const) === 'none') return undefined;
  const endpoint = nameOf(env, signal, 'ENDPOINT');
  const text = env[endpoint];
  if (!text) return undefined;
  const url = urlIn(endpoint, text);
  // The endpoint of all signals is a base, that of one signal is its address.
  if (endpoint === 'OTEL_EXPORTER_OTLP_ENDPOINT') url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal}`;
  const preference = 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE';
  if (signal === 'metrics') oneOf(env, preference, ['cumulative'] as const);
  return {
    url: url.href,
    headers: headersIn(env, nameOf(env, signal, 'HEADERS')),
    timeoutMs: milliseconds(env, nameOf(env, signal, 'TIMEOUT')) ?? 10_000,
    protocol: oneOf(env, nameOf(env, signal, 'PROTOCOL'), protocols) ?? 'http/protobuf',
    compression: oneOf(env, nameOf(env, signal, 'COMPRESSION'), compressions) ?? 'none',
  };
}

/** Messages leave out the value: it may have a password. */
function urlIn(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new StartError(`${name} must be a URL of http or https, such as http://127.0.0.1:4318.`);
  if (url.username !== '' || url.password !== '')
    throw new StartError(`${name} must not have a user or a password: set OTEL_EXPORTER_OTLP_HEADERS.`);
  return url;
}

function oneOf<Value extends string>(env: Environment, name: string, values: readonly Value[]): Value | undefined {
  const text = env[name];
  if (!text) return undefined;
  const value = values.find((one) => one === text);
  if (value !== undefined) return value;
  throw new StartError(`${name} must be ${values.join(' or ')}, got ${JSON.stringify(text)}.`);
}

function milliseconds(env: Environment, name: string): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= maxMs) return value;
  throw new StartError(`${name} must be a number of milliseconds from 1 to ${maxMs}, got ${JSON.stringify(text)}.`);
}

/** Pairs such as `name=value,name=value`, percent-encoded. */
function pairsIn(env: Environment, name: string): [string, string][] {
  const pairs = (env[name] ?? '').split(',').filter((pair) => pair.trim() !== '');
  return pairs.map((pair) => {
    const at = pair.indexOf('=');
    const read = at > 0 ? decoded(pair.slice(at + 1).trim()) : undefined;
    if (read === undefined) throw new StartError(`${name} must have pairs such as name=value,name=value.`);
    return [pair.slice(0, at).trim(), read];
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function headersIn(env: Environment, name: string): Readonly<Record<string, string>> {
  const pairs = pairsIn(env, name);
  try {
    return Object.fromEntries(new Headers(pairs));
  } catch {
    throw new StartError(`${name} has a name or a value that no header can have.`);
  }
}

function resourceOf(env: Environment): Readonly<Record<string, string>> {
  return {
    'service.name': 'shelf',
    'service.version': version,
    'service.instance.id': crypto.randomUUID(),
    'telemetry.sdk.name': 'shelf',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    ...Object.fromEntries(pairsIn(env, 'OTEL_RESOURCE_ATTRIBUTES')),
    ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
  };
}

function samplerOf(env: Environment): SamplerSettings {
  const name = oneOf(env, 'OTEL_TRACES_SAMPLER', samplerNames) ?? 'parentbased_always_on';
  const text = env.OTEL_TRACES_SAMPLER_ARG?.trim();
  const ratio = text ? Number(text) : 1;
  if (name.endsWith('traceidratio') && !(ratio >= 0 && ratio <= 1))
    throw new StartError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, got ${JSON.stringify(text)}.`);
  return { name, ratio };
}
