/** Where and how the server runs. */
import { availableParallelism } from 'node:os';
import { setting } from './setting.ts';
import { type Optional, optional, parseCount, parseDate, parseTime } from './values.ts';

export const server = {
  config: setting<string>({
    flag: '--config',
    env: 'SHELF_CONFIG',
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
    parse: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined),
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
  workers: setting<number>({
    flag: '--workers',
    env: 'SHELF_WORKERS',
    value: 'NUMBER',
    default: '1',
    help: 'Number of processes that share the port (only on Linux, with PostgreSQL); auto for one per core.',
    expected: 'a number from 1 to 256, or auto',
    parse: (text) => (text === 'auto' ? availableParallelism() : parseCount(text, 1, 256)),
  }),
  drain: setting<number>({
    flag: '--drain',
    env: 'SHELF_DRAIN',
    value: 'TIME',
    default: '5s',
    help: 'How long a stopping server continues to serve while /readyz fails, in ms or s; 0s to stop at once.',
    expected: 'a time from 0s to 3600s, such as 0s or 5s',
    parse: (text) => parseTime(text, 0, 3_600_000),
  }),
  deprecation: setting<Optional<Date>>({
    flag: '--deprecation',
    env: 'SHELF_DEPRECATION',
    value: 'DATE',
    default: 'none',
    help: 'Date for the Deprecation header of the contract API, such as 2027-01-31; none for no header.',
    expected: 'a date such as 2027-01-31, or none',
    parse: optional(parseDate),
  }),
  sunset: setting<Optional<Date>>({
    flag: '--sunset',
    env: 'SHELF_SUNSET',
    value: 'DATE',
    default: 'none',
    help: 'Date for the Sunset header of the contract API, such as 2028-01-31; none for no header.',
    expected: 'a date such as 2028-01-31, or none',
    parse: optional(parseDate),
  }),
};
