/** Checks that unique values are unique, and that references lead to existing records. */
import type { Database, Statement } from 'bun:sqlite';
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { brokenBy, type Clash } from '../../../domain/store/constraint-clash.ts';
import { matcher } from '../../../domain/where/match.ts';
import type { Binding, Sent } from './bindings.ts';
import { afterwards, recordValues } from './record-values.ts';
import { openRule, type RuleCheck } from './rule-check.ts';

export type Checks = {
  /** True if the collection has neither rules nor references. */
  readonly none: boolean;
  /** Announces a record that will be inserted: later records are also compared with it. */
  expect(values: readonly Binding[], recordId: number): void;
  /** Forgets the announced records: they are in the table now, or were not inserted. */
  forget(): void;
  /** `stored` is the record that is changed; absent for a new one. */
  clashes(sent: Sent, recordId: number, stored?: Readonly<Record<string, Binding>>): Clash[];
  close(): void;
};

export function openChecks(db: Database, collection: Collection): Checks {
  const { fields, unique, checks, references } = collection;
  const statements: Statement[] = [];
  const keys = Object.keys(fields);

  function target(field: string, to: string): (sent: Sent) => Clash | undefined {
    const at = keys.indexOf(field);
    const find = db.prepare<{ seq: number }, [NonNullable<Binding>]>(`select seq from ${identifier(to)} where seq = ?`);
    statements.push(find);
    return (sent) => {
      const value = sent[at] ?? null;
      return value !== null && find.get(value) === null ? { missing: field, to, id: String(value) } : undefined;
    };
  }

  const ofRecord = checks.map((rule) => ({
    holds: matcher(collection, rule.where),
    broken: brokenBy(rule, collection),
  }));
  const readRecord = recordValues(fields, new Set(checks.flatMap((rule) => rule.fields)));
  const rules: RuleCheck[] = unique.map((rule) => openRule(db, collection, rule));
  const targets = references.map(({ field, to }) => target(field, to));
  return {
    none: ofRecord.length === 0 && rules.length === 0 && targets.length === 0,
    expect(values, recordId) {
      for (const rule of rules) rule.expect(values, recordId);
    },
    forget() {
      for (const rule of rules) rule.forget();
    },
    clashes(sent, recordId, stored) {
      const record = ofRecord.length === 0 ? {} : readRecord(afterwards(sent, stored));
      const clashes: Clash[] = ofRecord.filter(({ holds }) => !holds(record)).map(({ broken }) => broken);
      if (clashes.length > 0) return clashes;
      for (const rule of rules) {
        const clash = rule.clash(sent, recordId, stored);
        if (clash !== undefined) clashes.push(clash);
      }
      for (const check of targets) {
        const clash = check(sent);
        if (clash !== undefined) clashes.push(clash);
      }
      return clashes;
    },
    close: () => {
      for (const rule of rules) rule.close();
      for (const statement of statements) statement.finalize();
    },
  };
}
