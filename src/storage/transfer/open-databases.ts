/** Opens the databases that a command reads and writes as a whole. */
import { resolve } from 'node:path';
import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Engine } from '../open.ts';
import { fixFor, isConnectionError, messageOf, sqlState } from '../postgres/connect/errors.ts';
import { WrongDeclarations } from '../stored-declarations.ts';
import type { Batches, SourceDatabase } from './contents.ts';
import type { Merge } from './merge.ts';
import { requireOutline, requireRecords, requireRows } from './numbers.ts';
import type { ConnectionOptions } from './postgres/connections.ts';
import { openPostgresMerge } from './postgres/postgres-merge.ts';
import { openPostgresSource } from './postgres/postgres-source.ts';
import { openPostgresTarget } from './postgres/postgres-target.ts';
import { openSqliteMerge } from './sqlite/sqlite-merge.ts';
import { openSqliteSource } from './sqlite/sqlite-source.ts';
import { openSqliteTarget } from './sqlite/sqlite-target.ts';
import type { TargetDatabase, TargetOptions } from './target-database.ts';

export type DatabaseOptions = ConnectionOptions & {
  /** Collections of the configuration file: tables of early releases do not say what they have. */
  readonly declared: readonly Collection[];
  /** For messages. */
  readonly label: string;
};

/** `exclusive`: nothing can be written until the source is closed; a server that runs is a StartError. */
export async function openSource(
  engine: Engine,
  options: DatabaseOptions,
  exclusive: boolean,
): Promise<SourceDatabase> {
  if (engine.kind === 'memory') throw inMemory();
  const { label } = options;
  const source = await explained<SourceDatabase>(label, () =>
    engine.kind === 'sqlite'
      ? openSqliteSource(resolve(engine.path), options.declared, exclusive ? 'exclusive' : 'shared')
      : openPostgresSource(engine.url, options.declared, { ...options, exclusive }),
  );
  try {
    requireOutline(source.outline);
  } catch (error) {
    await source.close();
    throw error;
  }
  const { parts, changes } = source.outline;
  const lastOf = (name: string) => parts.find(({ collection }) => collection.name === name)?.last;
  // While a target is filled, an error must name the database that it comes from.
  return {
    ...source,
    records: (of, after) =>
      labelled(label, source.records(of, after), (rows) => requireRecords(of.name, lastOf(of.name), rows)),
    rows: (of) => labelled(label, source.rows(of), (rows) => requireRows(of, changes.last, rows)),
  };
}

async function* labelled<Row>(
  label: string,
  batches: Batches<Row>,
  check: (rows: readonly Row[]) => void,
): AsyncGenerator<readonly Row[]> {
  try {
    for await (const rows of batches) {
      check(rows);
      yield rows;
    }
  } catch (error) {
    throw explain(error, label);
  }
}

/** Throws a StartError if the database is not empty. */
export async function openTarget(engine: Engine, options: DatabaseOptions & TargetOptions): Promise<TargetDatabase> {
  if (engine.kind === 'memory') throw inMemory();
  return explained(options.label, () =>
    engine.kind === 'sqlite'
      ? openSqliteTarget(resolve(engine.path), options)
      : openPostgresTarget(engine.url, options),
  );
}

export async function openMerge(engine: Engine, options: DatabaseOptions): Promise<Merge> {
  if (engine.kind === 'memory') throw inMemory();
  return explained(options.label, () =>
    engine.kind === 'sqlite'
      ? openSqliteMerge(resolve(engine.path), options.declared)
      : openPostgresMerge(engine.url, options.declared, options),
  );
}

function inMemory(): StartError {
  return new StartError('memory: stores nothing: choose another database.');
}

/** Turns an error of the file system or an engine into one line that the operator can act on. */
export async function explained<Result>(label: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    throw explain(error, label);
  }
}

function explain(error: unknown, label: string): unknown {
  const { code = '' } = error as { code?: string };
  if (error instanceof WrongDeclarations) return new WrongDeclarations(error.mistake, label);
  if (error instanceof StartError) return error;
  if (sqlState(error) === '55P03')
    return new StartError(`${label} is in use (${messageOf(error)}): stop its servers, and retry.`);
  if (code === 'SQLITE_NOTADB') return new StartError(`${label} is not a SQLite database: choose another one.`);
  if (code === 'ENOSPC' || code === 'SQLITE_FULL' || sqlState(error) === '53100')
    return new StartError(`The disk of ${label} is full: make room, and run the same command again.`);
  if (sqlState(error) !== undefined || isConnectionError(error) || /^(SQLITE_|E[A-Z]+$)/.test(code))
    return new StartError(
      `Cannot use ${label} (${messageOf(error)}): ${fixFor(error, 'check the address, the permissions and the disk, and retry')}.`,
    );
  return error;
}
