/** Where records are stored, and for how long. */
import { type Engine, engineForms, parseEngine } from '../../storage/open.ts';
import { autoCache, usableMemory } from '../memory-limit.ts';
import { setting, switchValue } from './setting.ts';
import { parseCount, parseDays, parseSize, parseSwitch, parseTime } from './values.ts';

export const database = {
  url: setting<Engine>({
    flag: '--database',
    env: 'DATABASE_URL',
    value: 'URL',
    default: 'sqlite:data/shelf.db',
    help: `Database URL: ${engineForms} (lost on exit).`,
    expected: engineForms,
    parse: parseEngine,
  }),
  mustExist: setting<boolean>({
    flag: '--database-must-exist',
    env: 'SHELF_DATABASE_MUST_EXIST',
    value: switchValue,
    default: 'off',
    help: 'Refuse to start if the database is missing or empty, for example because its volume is not mounted.',
    expected: 'on or off',
    parse: parseSwitch,
  }),
  cache: setting<number>({
    flag: '--cache',
    env: 'SHELF_CACHE',
    value: 'SIZE',
    default: 'auto',
    help: 'Memory for records served without the disk, in bytes or with KiB or MiB; 0 for none; auto for a quarter of the memory that this process may use, at most 256MiB.',
    expected: 'a size from 0 to 65536MiB, such as 0, 64MiB or 1024MiB, or auto',
    parse: (text) => (text === 'auto' ? autoCache(usableMemory()) : parseSize(text, 0, 64 * 1024 ** 3)),
  }),
  history: setting<number>({
    flag: '--history',
    env: 'SHELF_HISTORY',
    value: 'TIME',
    default: '7d',
    help: 'Retention of the change feed, in h or d.',
    expected: 'a time from 1h to 3650d, such as 12h or 7d',
    parse: parseDays,
  }),
  idempotency: setting<number>({
    flag: '--idempotency',
    env: 'SHELF_IDEMPOTENCY',
    value: 'TIME',
    default: '24h',
    help: 'How long an Idempotency-Key is valid, in h or d.',
    expected: 'a time from 1h to 3650d, such as 24h or 7d',
    parse: parseDays,
  }),
  connections: setting<number>({
    flag: '--database-connections',
    env: 'SHELF_DATABASE_CONNECTIONS',
    value: 'NUMBER',
    default: '10',
    help: 'PostgreSQL connections per process for reads, and as many again for long lists; one more is for writes and one for the live feed.',
    expected: 'a number from 1 to 1000',
    parse: (text) => parseCount(text, 1, 1000),
  }),
  timeout: setting<number>({
    flag: '--database-timeout',
    env: 'SHELF_DATABASE_TIMEOUT',
    value: 'TIME',
    default: '5s',
    help: 'How long a request waits for PostgreSQL, in ms or s; after that it gets 503.',
    expected: 'a time from 100ms to 300s, such as 500ms or 5s',
    parse: (text) => parseTime(text, 100, 300_000),
  }),
  wait: setting<number>({
    flag: '--database-wait',
    env: 'SHELF_DATABASE_WAIT',
    value: 'TIME',
    default: '30s',
    help: 'How long a start waits for PostgreSQL, in ms or s.',
    expected: 'a time from 0s to 3600s, such as 0s or 30s',
    parse: (text) => parseTime(text, 0, 3_600_000),
  }),
  prepare: setting<boolean>({
    flag: '--database-prepare',
    env: 'SHELF_DATABASE_PREPARE',
    value: switchValue,
    default: 'on',
    help: 'Prepared statements on PostgreSQL; set off behind pgbouncer in transaction mode.',
    expected: 'on or off',
    parse: parseSwitch,
  }),
};
