/** Reads what a start would do to a database. */
import { type Change, declarationsOf, planFor } from '../../declarations/plan.ts';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import { messageOf } from './errors.ts';
import { planIn } from './evolution.ts';
import { connect } from './pool.ts';

type Options = Parameters<typeof connect>[0];

export async function planDatabase(options: Options, collections: readonly Collection[]): Promise<Change[]> {
  const sql = connect(options, { max: 1, idleTimeout: 0 });
  try {
    const [row] = await sql`select to_regclass('settings') is not null`.values();
    if (row?.[0] === true) return await planIn(sql, collections);
    return planFor({}, declarationsOf(collections));
  } catch (error) {
    throw new StartError(
      `Cannot use the database (${messageOf(error)}): check --database, and that its server is running.`,
    );
  } finally {
    await sql.close();
  }
}
