/** Where records are stored, and for how long. */
import { type Engine, engineForms, parseEngine, parseReplicas, replicaForms } from '../../storage/open.ts';
import { autoCache, usableMemory } from '../process/memory-limit.ts';
import { optionalSetting, setting } from './setting.ts';
import { count, days, duration, onOff, parseSize } from './values.ts';

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
  replicas: optionalSetting<readonly string[]>({
    flag: '--database-replicas',
    value: 'URL,...',
    help: 'PostgreSQL standbys that serve reads, never stale ones; a standby that lags or does not answer is left out.',
    expected: replicaForms,
    parse: parseReplicas,
  }),
  mustExist: setting({
    flag: '--database-must-exist',
    default: 'off',
    help: 'Refuse to start if the database is missing or empty, for example because its volume is not mounted.',
    ...onOff,
  }),
  cache: setting<number>({
    flag: '--cache',
    value: 'SIZE',
    default: 'auto',
    help: 'Memory for records served without the disk, in bytes or with KiB or MiB; 0 for none; auto for a quarter of the memory that this process may use, at most 256MiB.',
    expected: 'a size from 0 to 65536MiB, such as 0, 64MiB or 1024MiB, or auto',
    parse: (text) => (text === 'auto' ? autoCache(usableMemory()) : parseSize(text, 0, 64 * 1024 ** 3)),
  }),
  history: setting({
    flag: '--history',
    default: '7d',
    help: 'Retention of the change feed, in h or d.',
    ...days('12h or 7d'),
  }),
  idempotency: setting({
    flag: '--idempotency',
    default: '24h',
    help: 'How long an Idempotency-Key is valid, in h or d.',
    ...days('24h or 7d'),
  }),
  connections: setting({
    flag: '--database-connections',
    default: '10',
    help: 'PostgreSQL connections per process for reads, and as many again for long lists; one more is for writes and one for the live feed.',
    ...count(1, 1000),
  }),
  timeout: setting({
    flag: '--database-timeout',
    default: '5s',
    help: 'How long a request waits for PostgreSQL, in ms or s; after that it gets 503.',
    ...duration('100ms', '300s', '500ms or 5s'),
  }),
  wait: setting({
    flag: '--database-wait',
    default: '30s',
    help: 'How long a start waits for PostgreSQL, in ms or s.',
    ...duration('0s', '3600s', '0s or 30s'),
  }),
  prepare: setting({
    flag: '--database-prepare',
    default: 'on',
    help: 'Prepared statements on PostgreSQL; set off behind pgbouncer in transaction mode.',
    ...onOff,
  }),
};
