/** Every setting, once: its flag, its environment variable, its default, its help line and how it is read. */
import { availableParallelism } from 'node:os';
import { StartError } from '../domain/errors.ts';
import { type Engine, engineForms, parseEngine } from '../storage/open.ts';

export type Setting<Value> = {
  readonly flag: string;
  readonly env: string;
  /** What stands for the value in the help text. */
  readonly value: string;
  readonly default: string;
  readonly help: string;
  /** What a right value is, to follow "must be". */
  readonly expected: string;
  /** Undefined when the text is no right value. */
  parse(text: string): Value | undefined;
};

export type LogFormat = 'auto' | 'json' | 'text' | 'off';

function setting<Value>(declaration: Setting<Value>): Setting<Value> {
  return declaration;
}

export const settings = {
  port: setting<number>({
    flag: '--port',
    env: 'PORT',
    value: 'NUMBER',
    default: '8000',
    help: 'Port to listen on; 0 takes any free one.',
    expected: 'a port number from 0 to 65535',
    parse: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined),
  }),
  host: setting<string>({
    flag: '--host',
    env: 'HOST',
    value: 'ADDRESS',
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 for every interface.',
    expected: 'a host name or an IP address',
    parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  }),
  database: setting<Engine>({
    flag: '--database',
    env: 'DATABASE_URL',
    value: 'URL',
    default: 'sqlite:data/shelf.db',
    help: `Where the records live: ${engineForms} (nothing kept).`,
    expected: engineForms,
    parse: parseEngine,
  }),
  maxBody: setting<number>({
    flag: '--max-body',
    env: 'MAX_BODY',
    value: 'SIZE',
    default: '1MiB',
    help: 'Largest request body, in bytes or with KiB, MiB.',
    expected: 'a size from 1 byte to 1024MiB, such as 65536, 512KiB or 1MiB',
    parse: (text) => parseSize(text, 1, 1024 ** 3),
  }),
  maxBulk: setting<number>({
    flag: '--max-bulk',
    env: 'MAX_BULK',
    value: 'SIZE',
    default: '1024MiB',
    help: 'Largest body of many records, one to a line, in bytes or with KiB, MiB; --max-body is for each line.',
    expected: 'a size from 1 byte to 65536MiB, such as 64MiB',
    parse: (text) => parseSize(text, 1, 64 * 1024 ** 3),
  }),
  cache: setting<number>({
    flag: '--cache',
    env: 'CACHE',
    value: 'SIZE',
    default: '256MiB',
    help: 'Memory for serving records without the disk, in bytes or with KiB, MiB; 0 for none.',
    expected: 'a size from 0 to 65536MiB, such as 0, 64MiB or 1024MiB',
    parse: (text) => parseSize(text, 0, 64 * 1024 ** 3),
  }),
  history: setting<number>({
    flag: '--history',
    env: 'HISTORY',
    value: 'TIME',
    default: '7d',
    help: 'How long changes are kept for the change feed, with h or d.',
    expected: 'a time from 1h to 3650d, such as 12h or 7d',
    parse: parseHistory,
  }),
  keysKept: setting<number>({
    flag: '--idempotency',
    env: 'IDEMPOTENCY',
    value: 'TIME',
    default: '24h',
    help: 'How long an Idempotency-Key counts, with h or d.',
    expected: 'a time from 1h to 3650d, such as 24h or 7d',
    parse: parseHistory,
  }),
  deprecation: setting<{ readonly date: Date | undefined }>({
    flag: '--deprecation',
    env: 'DEPRECATION',
    value: 'DATE',
    default: 'none',
    help: "Since when the contract's API is told to be deprecated, as 2027-01-31; none for never.",
    expected: 'a date such as 2027-01-31, or none',
    parse: parseDate,
  }),
  sunset: setting<{ readonly date: Date | undefined }>({
    flag: '--sunset',
    env: 'SUNSET',
    value: 'DATE',
    default: 'none',
    help: "When the contract's API is told to end, as 2028-01-31; none for never.",
    expected: 'a date such as 2028-01-31, or none',
    parse: parseDate,
  }),
  workers: setting<number>({
    flag: '--workers',
    env: 'WORKERS',
    value: 'NUMBER',
    default: '1',
    help: 'Processes that share the port, on Linux and PostgreSQL; auto for one per core.',
    expected: 'a number from 1 to 256, or auto',
    parse: (text) => (text === 'auto' ? availableParallelism() : parseCount(text, 1, 256)),
  }),
  databaseConnections: setting<number>({
    flag: '--database-connections',
    env: 'DATABASE_CONNECTIONS',
    value: 'NUMBER',
    default: '10',
    help: 'Connections to PostgreSQL for reads, and as many for long lists, for each process; one more writes.',
    expected: 'a number from 1 to 1000',
    parse: (text) => parseCount(text, 1, 1000),
  }),
  databaseTimeout: setting<number>({
    flag: '--database-timeout',
    env: 'DATABASE_TIMEOUT',
    value: 'TIME',
    default: '5s',
    help: 'How long a request waits for PostgreSQL before it is answered with 503, with ms or s.',
    expected: 'a time from 100ms to 300s, such as 500ms or 5s',
    parse: (text) => parseTime(text, 100, 300_000),
  }),
  databaseWait: setting<number>({
    flag: '--database-wait',
    env: 'DATABASE_WAIT',
    value: 'TIME',
    default: '30s',
    help: 'How long a start waits for PostgreSQL to answer, with ms or s.',
    expected: 'a time from 0s to 3600s, such as 0s or 30s',
    parse: (text) => parseTime(text, 0, 3_600_000),
  }),
  databasePrepare: setting<boolean>({
    flag: '--database-prepare',
    env: 'DATABASE_PREPARE',
    value: 'SWITCH',
    default: 'on',
    help: 'Prepared statements on PostgreSQL; off behind pgbouncer in transaction mode.',
    expected: 'on or off',
    parse: (text) => ({ on: true, off: false })[text],
  }),
  log: setting<LogFormat>({
    flag: '--log',
    env: 'LOG',
    value: 'FORMAT',
    default: 'auto',
    help: 'Request log: json, text, off (errors only), or auto (text on a terminal, else json).',
    expected: 'json, text, off or auto',
    parse: (text) => (['auto', 'json', 'text', 'off'] as const).find((format) => format === text),
  }),
};

type Settings = typeof settings;
export type Config = { readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never };
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve' | 'migrate'; readonly config: Config };

/** A command line that cannot be followed. */
export class UsageError extends StartError {}

export function readCommand(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Command {
  const flags = new Map<string, string>();
  const kind = args[0] === 'migrate' ? 'migrate' : 'serve';
  const rest = kind === 'migrate' ? args.slice(1) : [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--help' || arg === '-h') return { kind: 'help' };
    if (arg === '--version' || arg === '-v') return { kind: 'version' };
    const [flag = '', attached] = arg.split(/=(.*)/s);
    if (!Object.values(settings).some((known) => known.flag === flag)) {
      throw new UsageError(`Unknown option ${shown(flag)}: --help lists the options there are.`);
    }
    const value = attached ?? rest.shift();
    if (value === undefined) throw new UsageError(`${flag} needs a value: --help shows how.`);
    flags.set(flag, value);
  }

  function read<Value>({ flag, env: variable, default: preset, expected, parse }: Setting<Value>): Value {
    const flagged = flags.get(flag);
    // An empty variable counts as unset, as in a compose file that passes one through.
    const text = flagged ?? (env[variable] || preset);
    const value = parse(text);
    if (value !== undefined) return value;
    throw new UsageError(`${flagged === undefined ? variable : flag} must be ${expected}, not ${shown(text)}.`);
  }

  return {
    kind,
    config: {
      port: read(settings.port),
      host: read(settings.host),
      database: read(settings.database),
      maxBody: read(settings.maxBody),
      maxBulk: read(settings.maxBulk),
      cache: read(settings.cache),
      history: read(settings.history),
      keysKept: read(settings.keysKept),
      deprecation: read(settings.deprecation),
      sunset: read(settings.sunset),
      workers: read(settings.workers),
      databaseConnections: read(settings.databaseConnections),
      databaseTimeout: read(settings.databaseTimeout),
      databaseWait: read(settings.databaseWait),
      databasePrepare: read(settings.databasePrepare),
      log: read(settings.log),
    },
  };
}

/** The value as given, less the password that a URL may hold. */
function shown(text: string): string {
  return JSON.stringify(text.replace(/(\/\/[^:]*:).*@/s, '$1***@'));
}

function parseCount(text: string, least: number, most: number): number | undefined {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return count >= least && count <= most ? count : undefined;
}

function parseTime(text: string, least: number, most: number): number | undefined {
  const match = /^(\d{1,7})(ms|s)$/.exec(text);
  const time = Number(match?.[1]) * (match?.[2] === 's' ? 1000 : 1);
  return time >= least && time <= most ? time : undefined;
}

function parseDate(text: string): { readonly date: Date | undefined } | undefined {
  if (text === 'none') return { date: undefined };
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : { date };
}

function parseHistory(text: string): number | undefined {
  const match = /^(\d{1,5})([hd])$/.exec(text);
  const hours = Number(match?.[1]) * (match?.[2] === 'd' ? 24 : 1);
  return hours >= 1 && hours <= 3650 * 24 ? hours * 3_600_000 : undefined;
}

function parseSize(text: string, least: number, most: number): number | undefined {
  const match = /^(\d{1,12})(KiB|MiB)?$/i.exec(text);
  if (match === null) return undefined;
  const unit = { kib: 1024, mib: 1024 ** 2 }[match[2]?.toLowerCase() ?? ''] ?? 1;
  const size = Number(match[1]) * unit;
  return size >= least && size <= most ? size : undefined;
}
