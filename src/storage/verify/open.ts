/** Opens a database to examine it. */
import { resolve } from 'node:path';
import { StartError } from '../../domain/errors.ts';
import type { Engine } from '../open.ts';
import { type DatabaseOptions, explained } from '../transfer/open.ts';
import type { Examined } from './examined.ts';
import { openPostgresExamined } from './postgres-examined.ts';
import { openSqliteExamined } from './sqlite-examined.ts';

export async function openExamined(engine: Engine, options: DatabaseOptions): Promise<Examined> {
  if (engine.kind === 'memory') throw new StartError('memory: stores nothing: choose another --database.');
  return explained(options.label, () =>
    engine.kind === 'sqlite'
      ? openSqliteExamined(resolve(engine.path), options.declared)
      : openPostgresExamined(engine.url, options.declared, { ...options, exclusive: false }),
  );
}
