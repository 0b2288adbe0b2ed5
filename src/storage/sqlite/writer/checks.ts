/** Checks that unique values are unique, and that references lead to existing records. */
import type { Database, Statement } from 'bun:sqlite';
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier } from '../../../domain/sql-text.ts';
import type { Clash } from '../../../domain/store/constraint-clash.ts';
import type { Binding } from './bindings.ts';

type Check = (value: NonNullable<Binding>, recordId: number) => Clash | undefined;

export type Checks = {
  /** True if the collection has neither unique fields nor references. */
  readonly none: boolean;
  /** Announces a record that will be inserted: later records are also compared with it. */
  expect(values: readonly Binding[], recordId: number): void;
  /** Forgets the announced records: they are in the table now, or were not inserted. */
  forget(): void;
  /** `values` are in the order of the fields, undefined for one that does not change. */
  clashes(values: readonly (Binding | undefined)[], recordId: number): Clash[];
  close(): void;
};

export function openChecks(db: Database, { name, fields, unique, references }: Collection): Checks {
  const statements: Statement[] = [];
  const keys = Object.keys(fields);

  /** The announced records, by field and value. */
  const expected = new Map(unique.map((field) => [field, new Map<Binding, number>()]));

  function holder(field: string): Check {
    const coming = expected.get(field);
    const find = db.prepare<{ seq: number }, [NonNullable<Binding>, number]>(
      `select seq from ${identifier(name)} where ${identifier(field)} = ? and seq <> ?`,
    );
    statements.push(find);
    return (value, recordId) => {
      const by = coming?.get(value) ?? find.get(value, recordId)?.seq;
      return by === undefined ? undefined : { taken: field, by };
    };
  }

  function target(field: string, to: string): Check {
    const find = db.prepare<{ seq: number }, [NonNullable<Binding>]>(`select seq from ${identifier(to)} where seq = ?`);
    statements.push(find);
    return (value) => (find.get(value) === null ? { missing: field, to, id: String(value) } : undefined);
  }

  const checks = [
    ...unique.map((field) => ({ at: keys.indexOf(field), check: holder(field) })),
    ...references.map(({ field, to }) => ({ at: keys.indexOf(field), check: target(field, to) })),
  ];
  return {
    none: checks.length === 0,
    expect(values, recordId) {
      for (const [field, coming] of expected) {
        const value = values[keys.indexOf(field)] ?? null;
        if (value !== null) coming.set(value, recordId);
      }
    },
    forget() {
      for (const coming of expected.values()) coming.clear();
    },
    clashes(values, recordId) {
      const clashes: Clash[] = [];
      for (const { at, check } of checks) {
        const value = values[at];
        const clash = value === undefined || value === null ? undefined : check(value, recordId);
        if (clash !== undefined) clashes.push(clash);
      }
      return clashes;
    },
    close: () => {
      for (const statement of statements) statement.finalize();
    },
  };
}
