/** The moment of the change in records whose fields are open, in the function of their collection. */
import { clocksOf, openJson } from '../../../domain/record/open-moments.ts';
import { literal } from '../../../domain/sql-text.ts';
import { moment } from '../statements/expressions.ts';
import type { Shape } from '../statements/table-sql.ts';

/** Writes it into the run, before that is read. */
export function stampRun({ fields }: Shape): string {
  const open = clocksOf(fields).map(
    (clock) => `
  _run := replace(_run::text, ${literal(openJson(clock))}, '"' || ${clock.postgres.at(moment('_moment'))} || '"')::json;`,
  );
  return open.join('');
}
