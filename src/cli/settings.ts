/** Every setting, once: its flag, its environment variable, its default, its help line and how it is read. */
import { availableParallelism } from 'node:os';
import { parseRanges, type Range } from '../http/address.ts';
import { type AuthMode, authModes } from '../http/auth.ts';
import type { Rate } from '../http/limit.ts';
import { type Level, levels } from '../http/observe.ts';
import { type Engine, engineForms, parseEngine } from '../storage/open.ts';
import { autoCache, usableMemory } from './memory-limit.ts';
import {
  type Given,
  given,
  parseCount,
  parseDate,
  parseDays,
  parseOrigins,
  parseRate,
  parseSize,
  parseSwitch,
  parseTime,
} from './values.ts';

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

/** Stands for the value of a setting that is on or off; its flag alone means on. */
export const switchValue = 'SWITCH';

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
  databaseMustExist: setting<boolean>({
    flag: '--database-must-exist',
    env: 'SHELF_DATABASE_MUST_EXIST',
    value: switchValue,
    default: 'off',
    help: 'Refuse to start on a missing or empty database, such as that of a volume that is not mounted.',
    expected: 'on or off',
    parse: parseSwitch,
  }),
  maxBody: setting<number>({
    flag: '--max-body',
    env: 'SHELF_MAX_BODY',
    value: 'SIZE',
    default: '1MiB',
    help: 'Largest request body, in bytes or with KiB, MiB.',
    expected: 'a size from 1 byte to 1024MiB, such as 65536, 512KiB or 1MiB',
    parse: (text) => parseSize(text, 1, 1024 ** 3),
  }),
  maxBulk: setting<number>({
    flag: '--max-bulk',
    env: 'SHELF_MAX_BULK',
    value: 'SIZE',
    default: '1024MiB',
    help: 'Largest body of many records, one to a line, in bytes or with KiB, MiB; --max-body is for each line.',
    expected: 'a size from 1 byte to 65536MiB, such as 64MiB',
    parse: (text) => parseSize(text, 1, 64 * 1024 ** 3),
  }),
  cache: setting<number>({
    flag: '--cache',
    env: 'SHELF_CACHE',
    value: 'SIZE',
    default: 'auto',
    help: 'Memory for serving records without the disk, in bytes or with KiB, MiB; 0 for none; auto for a quarter of what this process may use, and at most 256MiB.',
    expected: 'a size from 0 to 65536MiB, such as 0, 64MiB or 1024MiB, or auto',
    parse: (text) => (text === 'auto' ? autoCache(usableMemory()) : parseSize(text, 0, 64 * 1024 ** 3)),
  }),
  history: setting<number>({
    flag: '--history',
    env: 'SHELF_HISTORY',
    value: 'TIME',
    default: '7d',
    help: 'How long changes are kept for the change feed, with h or d.',
    expected: 'a time from 1h to 3650d, such as 12h or 7d',
    parse: parseDays,
  }),
  keysKept: setting<number>({
    flag: '--idempotency',
    env: 'SHELF_IDEMPOTENCY',
    value: 'TIME',
    default: '24h',
    help: 'How long an Idempotency-Key counts, with h or d.',
    expected: 'a time from 1h to 3650d, such as 24h or 7d',
    parse: parseDays,
  }),
  deprecation: setting<Given<Date>>({
    flag: '--deprecation',
    env: 'SHELF_DEPRECATION',
    value: 'DATE',
    default: 'none',
    help: "Since when the contract's API is told to be deprecated, as 2027-01-31; none for never.",
    expected: 'a date such as 2027-01-31, or none',
    parse: given(parseDate),
  }),
  sunset: setting<Given<Date>>({
    flag: '--sunset',
    env: 'SHELF_SUNSET',
    value: 'DATE',
    default: 'none',
    help: "When the contract's API is told to end, as 2028-01-31; none for never.",
    expected: 'a date such as 2028-01-31, or none',
    parse: given(parseDate),
  }),
  workers: setting<number>({
    flag: '--workers',
    env: 'SHELF_WORKERS',
    value: 'NUMBER',
    default: '1',
    help: 'Processes that share the port, on Linux and PostgreSQL; auto for one per core.',
    expected: 'a number from 1 to 256, or auto',
    parse: (text) => (text === 'auto' ? availableParallelism() : parseCount(text, 1, 256)),
  }),
  databaseConnections: setting<number>({
    flag: '--database-connections',
    env: 'SHELF_DATABASE_CONNECTIONS',
    value: 'NUMBER',
    default: '10',
    help: 'Connections to PostgreSQL for reads, and as many for long lists, for each process; one more writes.',
    expected: 'a number from 1 to 1000',
    parse: (text) => parseCount(text, 1, 1000),
  }),
  databaseTimeout: setting<number>({
    flag: '--database-timeout',
    env: 'SHELF_DATABASE_TIMEOUT',
    value: 'TIME',
    default: '5s',
    help: 'How long a request waits for PostgreSQL before it is answered with 503, with ms or s.',
    expected: 'a time from 100ms to 300s, such as 500ms or 5s',
    parse: (text) => parseTime(text, 100, 300_000),
  }),
  databaseWait: setting<number>({
    flag: '--database-wait',
    env: 'SHELF_DATABASE_WAIT',
    value: 'TIME',
    default: '30s',
    help: 'How long a start waits for PostgreSQL to answer, with ms or s.',
    expected: 'a time from 0s to 3600s, such as 0s or 30s',
    parse: (text) => parseTime(text, 0, 3_600_000),
  }),
  databasePrepare: setting<boolean>({
    flag: '--database-prepare',
    env: 'SHELF_DATABASE_PREPARE',
    value: switchValue,
    default: 'on',
    help: 'Prepared statements on PostgreSQL; off behind pgbouncer in transaction mode.',
    expected: 'on or off',
    parse: parseSwitch,
  }),
  auth: setting<AuthMode>({
    flag: '--auth',
    env: 'SHELF_AUTH',
    value: 'WHAT',
    default: 'off',
    help: 'What needs a key: off for nothing, write for changes, all for everything but health and documentation.',
    expected: 'off, write or all',
    parse: (text) => authModes.find((mode) => mode === text),
  }),
  jwtIssuer: setting<Given<string>>({
    flag: '--jwt-issuer',
    env: 'SHELF_JWT_ISSUER',
    value: 'ISSUER',
    default: 'none',
    help: 'Whose JSON Web Tokens are taken beside keys, as their iss claim says; none for nobody.',
    expected: 'an issuer without spaces, such as https://id.example.com, or none',
    parse: given((text) => (/^\S{1,500}$/.test(text) ? text : undefined)),
  }),
  jwtKeys: setting<Given<string>>({
    flag: '--jwt-keys',
    env: 'SHELF_JWT_KEYS',
    value: 'PLACE',
    default: 'none',
    help: "The issuer's public keys (JWKS): a URL or a file, read again as keys rotate.",
    expected: 'a URL such as https://id.example.com/jwks.json, the path of a file, or none',
    parse: given((text) => (/^https?:\/\//.test(text) && !URL.canParse(text) ? undefined : text)),
  }),
  jwtAudience: setting<Given<string>>({
    flag: '--jwt-audience',
    env: 'SHELF_JWT_AUDIENCE',
    value: 'AUDIENCE',
    default: 'none',
    help: 'What the aud claim of a token must name; none where tokens of the issuer are meant for this service alone.',
    expected: 'an audience without spaces, or none',
    parse: given((text) => (/^\S{1,500}$/.test(text) ? text : undefined)),
  }),
  rateLimit: setting<Given<Rate>>({
    flag: '--rate-limit',
    env: 'SHELF_RATE_LIMIT',
    value: 'RATE',
    default: 'none',
    help: 'Requests that one key, or one address without a key, may make, by s, m or h; none for any number.',
    expected: 'a rate such as 100/s, 600/m or 5000/h, or none',
    parse: given(parseRate),
  }),
  trustedProxy: setting<Given<readonly Range[]>>({
    flag: '--trusted-proxy',
    env: 'SHELF_TRUSTED_PROXY',
    value: 'RANGES',
    default: 'none',
    help: 'Addresses whose X-Forwarded-For is believed, separated by commas.',
    expected: 'addresses or ranges such as 10.0.0.0/8,::1, or none',
    parse: given(parseRanges),
  }),
  cors: setting<Given<readonly string[]>>({
    flag: '--cors',
    env: 'SHELF_CORS',
    value: 'ORIGINS',
    default: 'none',
    help: 'Web pages of other origins that may use the API, separated by commas; * for all.',
    expected: 'origins such as https://app.example.com, without a star, or * alone, or none',
    parse: given(parseOrigins),
  }),
  maxConnections: setting<number>({
    flag: '--max-connections',
    env: 'SHELF_MAX_CONNECTIONS',
    value: 'NUMBER',
    default: '10000',
    help: 'Connections open at once; on those beyond, only health is answered.',
    expected: 'a number from 1 to 900000',
    parse: (text) => parseCount(text, 1, 900_000),
  }),
  maxRequests: setting<number>({
    flag: '--max-requests',
    env: 'SHELF_MAX_REQUESTS',
    value: 'NUMBER',
    default: '2000',
    help: 'Requests under way at once; those beyond are 503.',
    expected: 'a number from 1 to 100000',
    parse: (text) => parseCount(text, 1, 100_000),
  }),
  maxListeners: setting<number>({
    flag: '--max-listeners',
    env: 'SHELF_MAX_LISTENERS',
    value: 'NUMBER',
    default: '5000',
    help: 'Listeners to the live feed at once; those beyond are 503.',
    expected: 'a number from 1 to 100000',
    parse: (text) => parseCount(text, 1, 100_000),
  }),
  requestTimeout: setting<number>({
    flag: '--request-timeout',
    env: 'SHELF_REQUEST_TIMEOUT',
    value: 'TIME',
    default: '60s',
    help: 'How long one request may take before it is answered with 503, with s.',
    expected: 'a time from 1s to 3600s, such as 60s',
    parse: (text) => parseTime(text, 1000, 3_600_000),
  }),
  keepAlive: setting<number>({
    flag: '--keep-alive',
    env: 'KEEP_ALIVE',
    value: 'TIME',
    default: '75s',
    help: 'How long a connection is kept open for the next request, with s; longer than a proxy in front keeps it.',
    expected: 'a time from 1s to 3600s, such as 75s',
    parse: (text) => parseTime(text, 1000, 3_600_000),
  }),
  drain: setting<number>({
    flag: '--drain',
    env: 'SHELF_DRAIN',
    value: 'TIME',
    default: '5s',
    help: 'How long a server that is told to stop goes on serving while /readyz fails, with ms or s; 0s to stop at once.',
    expected: 'a time from 0s to 3600s, such as 0s or 5s',
    parse: (text) => parseTime(text, 0, 3_600_000),
  }),
  metrics: setting<boolean>({
    flag: '--metrics',
    env: 'SHELF_METRICS',
    value: switchValue,
    default: 'off',
    help: 'Figures for Prometheus at /metrics.',
    expected: 'on or off',
    parse: parseSwitch,
  }),
  log: setting<LogFormat>({
    flag: '--log',
    env: 'SHELF_LOG',
    value: 'FORMAT',
    default: 'auto',
    help: 'Request log: json, text, off (errors only), or auto (text on a terminal, else json).',
    expected: 'json, text, off or auto',
    parse: (text) => (['auto', 'json', 'text', 'off'] as const).find((format) => format === text),
  }),
  logLevel: setting<Level>({
    flag: '--log-level',
    env: 'SHELF_LOG_LEVEL',
    value: 'LEVEL',
    default: 'info',
    help: 'The least that is logged: info (every request), warn (slow ones and worse), error.',
    expected: levels.join(', '),
    parse: (text) => levels.find((level) => level === text),
  }),
  slow: setting<number>({
    flag: '--slow',
    env: 'SHELF_SLOW',
    value: 'TIME',
    default: '1s',
    help: 'From when on a request is logged as slow, with where its time went, with ms or s.',
    expected: 'a time from 1ms to 3600s, such as 250ms or 1s',
    parse: (text) => parseTime(text, 1, 3_600_000),
  }),
};
