/** The store's figures as metrics. */
import { everything } from '../../domain/access/view.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Store } from '../../domain/store/store.ts';
import { type Gauge, gauge } from './metrics.ts';

export function storeFigures(store: Store, collections: readonly Collection[]): Gauge[] {
  return [
    {
      name: 'shelf_records',
      help: 'Records by collection; an estimate for large collections on PostgreSQL.',
      read: () =>
        Promise.all(
          collections.map(async (collection) => ({
            labels: { collection: collection.name },
            value: await store.reads.estimate(everything(collection)),
          })),
        ),
    },
    gauge('shelf_writes_waiting', 'Writes that wait for a commit.', () => store.admin.figures().writesWaiting, {
      over: 'sum',
    }),
    gauge('shelf_reads_waiting', 'Reads that the database is working on.', () => store.admin.figures().readsWaiting, {
      over: 'sum',
    }),
    gauge('shelf_cache_bytes', 'Bytes of the record cache in memory.', () => store.admin.figures().cacheBytes, {
      over: 'sum',
    }),
    gauge(
      'shelf_cache_hits_total',
      'Single records of collections larger than the cache that were served from memory.',
      () => store.admin.figures().hot.hits,
      { type: 'counter', over: 'sum' },
    ),
    gauge(
      'shelf_cache_misses_total',
      'Single records of collections larger than the cache that were read from the file.',
      () => store.admin.figures().hot.misses,
      { type: 'counter', over: 'sum' },
    ),
    gauge('shelf_wal_bytes', "Bytes of SQLite's write-ahead log on disk.", () => store.admin.figures().walBytes),
    {
      name: 'shelf_database_connections',
      help: 'PostgreSQL connections by pool: in use, and the maximum.',
      read: () =>
        Object.entries(store.admin.figures().pools).flatMap(([pool, { used, most }]) => [
          { labels: { pool, state: 'used' }, value: used },
          { labels: { pool, state: 'most' }, value: most },
        ]),
    },
    ...replicaFigures(store),
  ];
}

/** Without samples if there are no standbys. */
function replicaFigures(store: Store): Gauge[] {
  const all = () => Object.entries(store.admin.figures().replicas);
  return [
    {
      name: 'shelf_replica_up',
      help: 'By standby of --database-replicas: 1 if it serves reads, 0 if it is left out.',
      read: () => all().map(([replica, { isUsed }]) => ({ labels: { replica }, value: isUsed ? 1 : 0 })),
    },
    {
      name: 'shelf_replica_lag_seconds',
      help: 'By standby: time since it last had all changes; 0 while it serves reads.',
      read: () => all().map(([replica, { lagSeconds }]) => ({ labels: { replica }, value: lagSeconds })),
    },
    {
      name: 'shelf_database_reads_total',
      help: 'Reads that a standby may serve, by the server that has served them: primary, or a standby.',
      type: 'counter',
      read: () => {
        const standbys = all().map(([source, { reads }]) => ({ labels: { source }, value: reads }));
        const primary = { labels: { source: 'primary' }, value: store.admin.figures().readsFromPrimary };
        return standbys.length === 0 ? [] : [primary, ...standbys];
      },
    },
  ];
}
