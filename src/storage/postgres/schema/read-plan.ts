/** Reads what a start would do to a database. */
import type { SQL } from 'bun';
import { declarationsOf, planFor } from '../../../declarations/plan.ts';
import type { Plan } from '../../../declarations/refusal.ts';
import { StartError } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { DatabaseUnavailable } from '../connect/errors.ts';
import { type ConnectOptions, connect } from '../connect/pool.ts';
import { findPrimary } from '../primary/find-primary.ts';
import { planIn } from './evolution.ts';

export async function planDatabase(
  options: ConnectOptions,
  collections: readonly Collection[],
  isChecked: boolean,
): Promise<Plan> {
  let sql: SQL | undefined;
  try {
    sql = connect({ ...options, url: await findPrimary(options.url, options) }, { max: 1, idleTimeout: 0 });
    const [row] = await sql`select to_regclass('settings') is not null`.values();
    if (row?.[0] !== true) return { changes: planFor({}, declarationsOf(collections)), unserved: [], violations: [] };
    // One moment, however long it takes to read it.
    return await sql.begin('isolation level repeatable read read only', async (tx) => {
      await tx`set local statement_timeout = 0`;
      return planIn(tx, collections, isChecked);
    });
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new DatabaseUnavailable(error);
  } finally {
    await sql?.close();
  }
}
