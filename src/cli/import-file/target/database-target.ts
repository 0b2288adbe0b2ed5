/** Imports into the database itself, without a server. */

import { existsSync } from 'node:fs';
import { StartError } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Bulk } from '../../../domain/store/bulk.ts';
import { everybody } from '../../../domain/store/writes.ts';
import { DatabaseInUse, type Engine, type EngineOptions, openEngine } from '../../../storage/open.ts';
import { keyOf, type Target, type TargetBulk } from './import-target.ts';

export type DatabaseOptions = EngineOptions & {
  readonly database: {
    readonly url: Engine;
    /** In milliseconds: the TTL of an Idempotency-Key. */
    readonly idempotency: number;
  };
};

/** Never creates a database: in a wrong folder that would go unnoticed. Throws a StartError. */
export async function openDatabase(
  label: string,
  collection: Collection,
  all: readonly Collection[],
  options: DatabaseOptions,
  fields?: readonly string[],
): Promise<Target> {
  const key = keyOf(collection, fields);
  const { url: engine, idempotency } = options.database;
  if (engine.kind === 'memory')
    throw new StartError('memory: is always a new database: choose another --database, or a server with --url.');
  if (engine.kind === 'sqlite' && !existsSync(engine.path))
    throw new StartError(
      `The database ${engine.path} does not exist: correct --database, or create it with shelf migrate.`,
    );
  const store = open(engine, all, options);
  try {
    await store.admin.ready;
  } catch (error) {
    await store.admin.close();
    throw error;
  }
  return {
    label,
    collection,
    key,
    isShared: engine.kind === 'postgres',
    bulk: async () => targetBulk(await store.writes.bulk(everybody, collection, label, { key }), idempotency),
    close: () => store.admin.close(),
  };
}

function open(engine: Engine, all: readonly Collection[], options: DatabaseOptions) {
  try {
    return openEngine(engine, all, {
      ...options,
      // Nothing is read, and only the disk limits what is written.
      database: { ...options.database, cache: 0 },
      limits: { ...options.limits, maxSpool: Number.MAX_SAFE_INTEGER },
    });
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) throw error;
    throw new StartError(`A server has ${error.path} open: import through it with --url URL, or stop it first.`);
  }
}

function targetBulk(bulk: Bulk, keptMs: number): TargetBulk {
  return {
    add: (records) => bulk.add(records),
    commit: (batches, isAgain) => bulk.import({ batches, keptMs, isAgain }),
    check: () => bulk.check(),
    close: () => bulk.close(),
  };
}
