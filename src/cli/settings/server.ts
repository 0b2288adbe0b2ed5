/** Where and how the server runs. */
import { availableParallelism } from 'node:os';
import { type DocsMode, docsModes } from '../../http/access/docs-mode.ts';
import { optionalSetting, setting } from './setting.ts';
import { duration, onOff, parseCount, parseDate, parsePort } from './values.ts';

export const server = {
  config: setting<string>({
    flag: '--config',
    value: 'FILE',
    default: 'shelf.json',
    help: 'File with collections of your own, and settings; the default is read only if it is there.',
    expected: 'the path of a file',
    inFile: false,
    parse: (text) => (text === '' ? undefined : text),
  }),
  port: setting<number>({
    flag: '--port',
    env: 'PORT',
    value: 'NUMBER',
    default: '8000',
    help: 'Port to listen on; 0 picks a free port.',
    expected: 'a port number from 0 to 65535',
    parse: (text) => parsePort(text, 0),
  }),
  host: setting<string>({
    flag: '--host',
    env: 'HOST',
    value: 'ADDRESS',
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 for all interfaces.',
    expected: 'a host name or an IP address',
    parse: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  }),
  listen: optionalSetting<string>({
    flag: '--listen',
    value: 'SOCKET',
    help: 'Unix socket that is served besides the port, as unix:PATH, in plain HTTP; none for no such socket.',
    expected: 'unix:PATH, or none',
    parse: (text) => /^unix:([^\0]+)$/.exec(text)?.[1],
  }),
  workers: setting<number>({
    flag: '--workers',
    value: 'NUMBER',
    default: '1',
    help: 'Number of processes that share the port (only on Linux, with PostgreSQL); auto for one per core.',
    expected: 'a number from 1 to 256, or auto',
    parse: (text) => (text === 'auto' ? availableParallelism() : parseCount(text, 1, 256)),
  }),
  threads: setting<number | 'auto'>({
    flag: '--threads',
    value: 'NUMBER',
    default: 'auto',
    help: 'Number of threads that serve (only on Linux, with SQLite); auto for half of the cores, from 1 to 8, and at most one per 128MiB of memory that this process may use.',
    expected: 'a number from 1 to 256, or auto',
    parse: (text) => (text === 'auto' ? text : parseCount(text, 1, 256)),
  }),
  console: setting({
    flag: '--console',
    default: 'on',
    help: 'The console at /console, where a person sees and changes records.',
    ...onOff,
  }),
  consoleSchema: setting({
    flag: '--console-schema',
    default: 'on',
    help: 'Keys of scope admin may change the declarations in the configuration file over HTTP, as the console does; off to show them only.',
    ...onOff,
  }),
  watchConfig: setting({
    flag: '--watch-config',
    default: 'off',
    help: 'Takes over the declarations of the configuration file when it is edited, without a restart.',
    ...onOff,
  }),
  docs: setting<DocsMode>({
    flag: '--docs',
    value: 'WHO',
    default: 'on',
    help: 'Who sees the collections and their fields in /docs, /redoc, /openapi.json, / and the index of the API: on (everybody), admin (keys of scope admin, without the pages; other keys see the index of what they may read), off (nobody; the console and the typed client do not work, either).',
    expected: 'on, admin or off',
    parse: (text) => docsModes.find((mode) => mode === text),
  }),
  drain: setting({
    flag: '--drain',
    default: '5s',
    help: 'How long a stopping server continues to serve while /readyz fails, in ms or s; 0s to stop at once.',
    ...duration('0s', '3600s', '0s or 5s'),
  }),
  deprecation: optionalSetting<Date>({
    flag: '--deprecation',
    value: 'DATE',
    help: 'Date for the Deprecation header of the contract API, such as 2027-01-31; none for no header.',
    expected: 'a date such as 2027-01-31, or none',
    parse: parseDate,
  }),
  sunset: optionalSetting<Date>({
    flag: '--sunset',
    value: 'DATE',
    help: 'Date for the Sunset header of the contract API, such as 2028-01-31; none for no header.',
    expected: 'a date such as 2028-01-31, or none',
    parse: parseDate,
  }),
};
