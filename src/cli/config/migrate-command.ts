/** Parses the arguments of `migrate`. */
import { parseAllowed } from '../../declarations/allowed.ts';
import { switchOf, UsageError } from './environment.ts';

/** `isPlan`: show what would be done. `allowed`: steps that lose or change data, as in `drop:books.tags`. */
export type MigrateCommand = { readonly isPlan: boolean; readonly allowed: readonly string[] };

export const planFlag = '--plan';
const allowFlag = '--allow';
export const migrateFlags = [planFlag, allowFlag];

export function readMigrateCommand(flags: ReadonlyMap<string, string>): MigrateCommand {
  const isPlan = switchOf(flags, planFlag);
  const allowed = parseAllowed(flags.get(allowFlag) ?? '');
  if (typeof allowed === 'string') throw new UsageError(`${allowFlag} ${allowed}.`);
  return { isPlan, allowed };
}
