/** Opens a database to verify it. */
import { resolve } from 'node:path';
import { StartError } from '../../domain/errors.ts';
import type { Engine } from '../open.ts';
import { type DatabaseOptions, explained } from '../transfer/open-databases.ts';
import { openPostgresVerifySource } from './postgres-verify-source.ts';
import { openSqliteVerifySource } from './sqlite-verify-source.ts';
import type { VerifySource } from './verify.ts';

export async function openVerifySource(engine: Engine, options: DatabaseOptions): Promise<VerifySource> {
  if (engine.kind === 'memory') throw new StartError('memory: stores nothing: choose another --database.');
  return explained(options.label, () =>
    engine.kind === 'sqlite'
      ? openSqliteVerifySource(resolve(engine.path), options.declared)
      : openPostgresVerifySource(engine.url, options.declared, { ...options, exclusive: false }),
  );
}
