/** A transaction of several operations as a message to the writing thread: conditions become SQL. */

import type { Collection } from '../../domain/record/collection.ts';
import type { UniqueRule } from '../../domain/record/unique-rules.ts';
import { identifier } from '../../domain/sql-text.ts';
import type { Step } from '../../domain/store/operation.ts';
import { maxExamined, maxMatching } from '../../domain/store/operation.ts';
import type { MultiTransaction } from '../../domain/store/transaction.ts';
import type { Where } from '../../domain/where/where.ts';
import { condition, predicate } from '../query-sql.ts';
import { boundedCount, idSearch } from './search/plan.ts';
import { dialect } from './statements/collection-sql.ts';
import type { Tables } from './tables.ts';
import {
  type OneWrite,
  type RecordCondition,
  type StepWrite,
  sent,
  sentSearch,
  type TransactionWrite,
  type UniqueKey,
} from './writer/transaction/transaction-message.ts';

export function transactionWrite(tables: Tables, transaction: MultiTransaction): TransactionWrite {
  const { operations, once, by, trace, permitted, returnsRecords } = transaction;
  const steps = operations.map((step) => ({ place: tables.of(step.collection).place, ...stepWrite(step) }));
  return { op: 'transaction', by, traceId: trace?.id, steps, once, permitted, returnsRecords };
}

/** `StepWrite` is a union, and each of its types has a place. */
type Placeless<One> = One extends StepWrite ? Omit<One, 'place'> : never;

function stepWrite(step: Step): Placeless<StepWrite> {
  const { collection } = step;
  switch (step.op) {
    case 'create':
      return { op: step.op, json: step.json, after: afterWrite(step) };
    case 'upsert':
      return {
        op: step.op,
        ...uniqueKey(collection, step.rule),
        json: step.json,
        sent: step.sent,
        after: afterWrite(step),
      };
    case 'check':
      if (step.recordId !== undefined)
        return {
          op: step.op,
          isGuard: step.isGuard === true,
          target: { ...oneWrite(collection, step), exists: step.exists },
        };
      return {
        op: step.op,
        isGuard: step.isGuard === true,
        target: {
          search: sentSearch(boundedCount(collection, step.where, maxExamined.records + 1)),
          count: step.count,
        },
      };
  }
  const target =
    step.recordId === undefined
      ? { search: sentSearch(idSearch(collection, step.where, maxMatching + 1)), count: step.count }
      : oneWrite(collection, step);
  if (step.op === 'delete') return { op: step.op, target };
  const after = afterWrite(step);
  return step.op === 'add'
    ? { op: step.op, target, json: step.json, after }
    : { op: step.op, target, json: step.json, after };
}

function afterWrite({ collection, after }: Exclude<Step, { op: 'delete' | 'check' }>): RecordCondition | undefined {
  return after === undefined || after.length === 0 ? undefined : recordCondition(collection, after, '1');
}

export function uniqueKey(collection: Collection, { fields, where }: UniqueRule): UniqueKey {
  return { key: fields, among: where && predicate(dialect, collection, where) };
}

type One = Pick<OneWrite, 'recordId'> & { readonly when?: OneWrite['when']; readonly where?: Where | undefined };

function oneWrite(collection: Collection, { recordId, when, where }: One): OneWrite {
  return { recordId, when, where: where && recordCondition(collection, where, '*') };
}

function recordCondition(collection: Collection, where: Where, columns: '*' | '1'): RecordCondition {
  const { sql, parameters } = condition(dialect, collection, where, []);
  const table = identifier(collection.name);
  const also = sql === '' ? 'where' : `${sql} and`;
  return {
    sql: `select ${columns} from ${table} ${also} ${table}.seq = ?${parameters.length + 1}`,
    parameters: sent(parameters),
  };
}
