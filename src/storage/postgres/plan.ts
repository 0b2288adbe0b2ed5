/** Reads what a start would do to a database. */
import type { SQL } from 'bun';
import { type Change, declarationsOf, planFor } from '../../declarations/plan.ts';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import { fixFor, messageOf } from './errors.ts';
import { planIn } from './evolution.ts';
import { type ConnectOptions, connect } from './pool.ts';
import { findPrimary } from './survey.ts';

export async function planDatabase(options: ConnectOptions, collections: readonly Collection[]): Promise<Change[]> {
  let sql: SQL | undefined;
  try {
    sql = connect({ ...options, url: await findPrimary(options.url, options) }, { max: 1, idleTimeout: 0 });
    const [row] = await sql`select to_regclass('settings') is not null`.values();
    if (row?.[0] === true) return await planIn(sql, collections);
    return planFor({}, declarationsOf(collections));
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`Cannot use the database (${messageOf(error)}): ${fixFor(error)}.`);
  } finally {
    await sql?.close();
  }
}
