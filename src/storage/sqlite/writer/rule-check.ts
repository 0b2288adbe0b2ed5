/** Finds the record that is in the way of another one, by a unique rule. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../../domain/record/collection.ts';
import { fieldsOfRule, type UniqueRule } from '../../../domain/record/unique-rules.ts';
import { identifier } from '../../../domain/sql-text.ts';
import type { Clash } from '../../../domain/store/constraint-clash.ts';
import { matcher } from '../../../domain/where/match.ts';
import { predicate } from '../../query-sql.ts';
import { dialect } from '../statements/collection-sql.ts';
import type { Binding, Sent } from './bindings.ts';
import { afterwards, type BindingOf, recordValues } from './record-values.ts';

export type RuleCheck = {
  /** Announces a record that will be inserted. */
  expect(values: readonly Binding[], recordId: number): void;
  forget(): void;
  clash(sent: Sent, recordId: number, stored?: Readonly<Record<string, Binding>>): Clash | undefined;
  close(): void;
};

type Values = readonly NonNullable<Binding>[];

export function openRule(db: Database, collection: Collection, rule: UniqueRule): RuleCheck {
  const { name, fields } = collection;
  const { fields: unique, where, condition } = rule;
  const keys = Object.keys(fields);
  const at = unique.map((key) => keys.indexOf(key));
  const concerned = [...fieldsOfRule(rule)].map((key) => keys.indexOf(key));
  const readRecord = recordValues(fields, fieldsOfRule(rule));
  const isFor = where === undefined ? undefined : matcher(collection, where);
  const equal = unique.map((key) => `${identifier(key)} = ?`);
  // With the condition of the index, so that SQLite can use it.
  const among = where === undefined ? [] : [predicate(dialect, collection, where)];
  const find = db.prepare<{ seq: number }, (NonNullable<Binding> | number)[]>(
    `select seq from ${identifier(name)} where ${[...equal, ...among].join(' and ')} and seq <> ?`,
  );
  /** The announced records, by their values. */
  const expected = new Map<string, number>();

  /** The values that are to be unique; undefined if the rule is not for this record. */
  function valuesOf(values: BindingOf): Values | undefined {
    const own: NonNullable<Binding>[] = [];
    for (const [index, place] of at.entries()) {
      const value = values(place, unique[index] ?? '');
      if (value === null) return undefined;
      own.push(value);
    }
    return isFor === undefined || isFor(readRecord(values)) ? own : undefined;
  }

  return {
    expect(values, recordId) {
      const own = valuesOf((place) => values[place] ?? null);
      if (own !== undefined) expected.set(textOf(own), recordId);
    },
    forget: () => expected.clear(),
    clash(sent, recordId, stored) {
      if (stored !== undefined && concerned.every((place) => sent[place] === undefined)) return undefined;
      const own = valuesOf(afterwards(sent, stored));
      if (own === undefined) return undefined;
      const by = (expected.size === 0 ? undefined : expected.get(textOf(own))) ?? find.get(...own, recordId)?.seq;
      return by === undefined
        ? undefined
        : { taken: unique, by, ...(condition === undefined ? {} : { where: condition }) };
    },
    close: () => find.finalize(),
  };
}

/** An integer is the same as a number and as a bigint. */
function textOf(values: Values): string {
  return values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value))).join();
}
