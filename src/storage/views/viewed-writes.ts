/** Writes of an engine, each judged by the rights of its caller where writes are ordered. */
import type { BoundAccess } from '../../domain/access/bound-access.ts';
import { visibleRecorded } from '../../domain/access/visible-json.ts';
import { Failure } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Recorded } from '../../domain/record/record.ts';
import type { Bulk } from '../../domain/store/bulk.ts';
import type { Client } from '../../domain/store/client.ts';
import type { Once } from '../../domain/store/once.ts';
import type { Step } from '../../domain/store/operation.ts';
import { holds, type Precondition } from '../../domain/store/precondition.ts';
import type { Reads } from '../../domain/store/reads.ts';
import type {
  Committed,
  Create,
  Created,
  Delete,
  DeleteFirst,
  MultiTransaction,
  StepResult,
  Transaction,
  Unchanged,
  Update,
} from '../../domain/store/transaction.ts';
import { type BulkOptions, everybody, type Writer, type Writes } from '../../domain/store/writes.ts';
import type { EngineWrites } from '../engine-writes.ts';
import { guardedSteps } from './guarded-steps.ts';
import { roleBulk } from './role-bulk.ts';
import { seenFailure } from './seen-failure.ts';

const encoder = new TextEncoder();

/** A record that others change all the time is read again so many times. */
const attempts = 10;

export class ViewedWrites implements Writes {
  constructor(
    readonly engine: EngineWrites,
    readonly reads: Reads,
  ) {}

  commit(writer: Writer, transaction: Transaction<Create>): Promise<Created>;
  commit(writer: Writer, transaction: Transaction<Update>): Promise<Recorded | Unchanged>;
  commit(writer: Writer, transaction: Transaction<Delete | DeleteFirst>): Promise<'done' | Unchanged>;
  commit(writer: Writer, transaction: MultiTransaction): Promise<Committed>;
  commit(
    writer: Writer,
    transaction: Transaction | MultiTransaction,
  ): Promise<Created | Recorded | 'done' | Unchanged | Committed> {
    // The engine has a signature for each kind.
    if (writer === everybody) return this.engine.commit(transaction as MultiTransaction);
    if ('operations' in transaction) return this.#several(writer, transaction, false);
    const { operation } = transaction;
    if (operation.op === 'create') return this.#create(writer, transaction as Transaction<Create>);
    if (operation.op === 'update') return this.#update(writer, transaction as Transaction<Update>);
    if (operation.op === 'delete') return this.#delete(writer, transaction as Transaction<Delete>);
    return this.#deleteFirst(writer, transaction as Transaction<DeleteFirst>);
  }

  async bulk(writer: Writer, collection: Collection, client: Client, options: BulkOptions = {}): Promise<Bulk> {
    if (writer === everybody) return this.engine.bulk(collection, client, options);
    return roleBulk(collection, options, (steps, once) =>
      this.#several(
        writer,
        {
          operations: steps,
          once: once && onceOf(once, collection, 'bulk'),
          by: options.by,
          trace: options.trace,
          returnsRecords: false,
        },
        false,
      ),
    );
  }

  async #create(writer: BoundAccess, { operation, once, ...caller }: Transaction<Create>): Promise<Created> {
    const { collection, json } = operation;
    const step: Step = { op: 'create', collection, json: [json] };
    const { record, isRepeated } = await this.#one(writer, step, caller, once && onceOf(once, collection, 'create'));
    return { ...record, isRepeated };
  }

  async #update(writer: BoundAccess, { operation, ...caller }: Transaction<Update>): Promise<Recorded | Unchanged> {
    const { collection, recordId, json, when } = operation;
    const step: Step = { op: 'update', collection, recordId, json: [json], when };
    return unchangedOr(this.#one(writer, step, caller).then(({ record }) => record));
  }

  async #delete(writer: BoundAccess, { operation, by, trace }: Transaction<Delete>): Promise<'done' | Unchanged> {
    const { collection, recordId, when } = operation;
    const step: Step = { op: 'delete', collection, recordId, when };
    const transaction = { operations: [step], by, trace, returnsRecords: false };
    return unchangedOr(this.#several(writer, transaction, true).then(() => 'done' as const));
  }

  /** The earliest record with the id of the contract among those that the caller may read. */
  async #deleteFirst(
    writer: BoundAccess,
    { operation, by, trace }: Transaction<DeleteFirst>,
  ): Promise<'done' | Unchanged> {
    const { collection, contractId, when } = operation;
    const view = writer.viewOf(collection);
    if (view === undefined) throw new Failure('unknown_path');
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { records } = await this.reads.records(view, {
        where: [{ field: 'external_id', operator: 'eq', values: [contractId] }],
        sort: [],
        after: undefined,
        limit: 1,
      });
      const [found] = records;
      if (found === undefined) return 'missing';
      const tag = () => this.reads.tagOf(encoder.encode((view.sight?.seen ?? collection).encode(found.row)));
      if (!holds(when, tag)) return 'conflict';
      const version: Precondition<number> = { match: [found.version], noneMatch: undefined };
      const single: Delete = { op: 'delete', collection, recordId: found.recordId, when: version };
      const done = await this.#delete(writer, { operation: single, by, trace });
      // Another write has come between.
      if (done === 'done') return done;
    }
    throw new Failure('overloaded');
  }

  async #one(
    writer: BoundAccess,
    step: Step,
    { by, trace }: Pick<Transaction, 'by' | 'trace'>,
    once?: Once,
  ): Promise<{ readonly record: Recorded; readonly isRepeated: boolean }> {
    const transaction = { operations: [step], once, by, trace, returnsRecords: true };
    const { results, isRepeated } = await this.#several(writer, transaction, true);
    const [result] = results;
    if (result === undefined || !('record' in result) || result.record === undefined)
      throw new Error('a change of one record has a record as its result');
    return { record: result.record, isRepeated };
  }

  async #several(writer: BoundAccess, transaction: MultiTransaction, isAlone: boolean): Promise<Committed> {
    const guarded = guardedSteps(writer, transaction.operations);
    const operations = guarded.map(({ step }) => step);
    // Cascades are a matter of the file: a refusal would tell that there are records which depend on this one.
    const committed = await this.engine.commit({ ...transaction, operations, permitted: undefined }).catch((error) => {
      throw error instanceof Failure ? seenFailure(writer, guarded, error, isAlone) : error;
    });
    const results = await Promise.all(
      committed.results.map((result, index) =>
        this.#seen(writer, transaction.operations[index], result, committed.isRepeated),
      ),
    );
    return { ...committed, results };
  }

  async #seen(
    writer: BoundAccess,
    step: Step | undefined,
    result: StepResult,
    isRepeated: boolean,
  ): Promise<StepResult> {
    const view = step && writer.viewOf(step.collection);
    if (step === undefined || view === undefined) throw new Error('each result is that of an operation');
    if (step.op === 'check' && step.recordId !== undefined && 'count' in result)
      return { recordId: Number(step.recordId), version: null };
    if (!('record' in result) || result.record === undefined) return result;
    const record = visibleRecorded(view, result.record);
    // The answer to a retry is judged by the rules of now.
    const isHidden = isRepeated && (await this.reads.one(view, result.recordId)) === undefined;
    return { ...result, record: isHidden ? { ...record, json: '{}' } : record };
  }
}

/** The keys of a role's writes are all stored as those of transactions. */
function onceOf(once: Once, { name }: Collection, kind: string): Once {
  return { ...once, key: `${name} ${kind} ${once.key}` };
}

async function unchangedOr<Result>(write: Promise<Result>): Promise<Result | Unchanged> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return 'missing';
    if (error instanceof Failure && error.code === 'precondition_failed') return 'conflict';
    throw error;
  }
}
