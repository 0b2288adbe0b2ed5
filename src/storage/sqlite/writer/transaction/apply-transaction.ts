/** Applies the operations of a transaction in order, by the same functions as single writes. Runs on the writing thread. */
import type { Database } from 'bun:sqlite';
import type { Recorded } from '../../../../domain/record/record.ts';
import {
  countHolds,
  maxChanges,
  maxExamined,
  maxMatching,
  maxRecordBytes,
  type RecordRef,
} from '../../../../domain/store/operation.ts';
import { type Creator, type OperationFault, withoutCreated } from '../../../../domain/store/operation-failure.ts';
import type { StepResult } from '../../../../domain/store/transaction.ts';
import { sizeOf } from '../../search/search.ts';
import { PreparedStatements } from '../../statements/prepared-statements.ts';
import type { Cascade } from '../cascade.ts';
import type { Stamp } from '../clock.ts';
import type { IdempotencyKeys } from '../idempotency-keys.ts';
import type { StoredRow, TableWriter } from '../table-writer.ts';
import { type Effect, isClashed, isOutOfBounds, isUpdated, type Outcome, type OutOfBounds } from '../thread/outcome.ts';
import { BoundedSearch } from './bounded-search.ts';
import { type CreateStep, creationsFrom } from './creations.ts';
import { Fault, faultOf, OperationFailed } from './fault.ts';
import { OpenChanges } from './open-changes.ts';
import {
  type MatchingWrite,
  type OneWrite,
  type RecordCondition,
  type StepWrite,
  type TransactionResults,
  type TransactionWrite,
  textOf,
} from './transaction-message.ts';

/** The collection under which the keys of transactions are stored: no collection has this name. */
const ownKeys = '';

export type TransactionParts = {
  readonly db: Database;
  readonly tableAt: (place: number) => TableWriter;
  readonly cascade: Cascade;
  readonly keys: IdempotencyKeys;
  /** The number of the last change. */
  readonly newest: () => number;
};

export type TransactionApplied = { readonly outcome: Outcome; readonly effects: readonly Effect[] };

export type Transactions = {
  /** In a savepoint. Throws OperationFailed. */
  apply(write: TransactionWrite, now: string): TransactionApplied;
  close(): void;
};

export function openTransactions({ db, tableAt, cascade, keys, newest }: TransactionParts): Transactions {
  const statements = new PreparedStatements(db);

  function apply(write: TransactionWrite, now: string): TransactionApplied {
    const { once, steps } = write;
    const earlier = keys.earlier(ownKeys, once, now);
    if (earlier !== undefined) return { outcome: earlier, effects: [] };
    const transaction = new OpenTransaction(write, now);
    try {
      while (transaction.operation < steps.length) transaction.next();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { operation, creatorOf } = transaction;
      const { name } = tableAt(steps[operation]?.place ?? 0).collection;
      throw new OperationFailed(operation, withoutCreated(error.fault, name, creatorOf));
    }
    const { results, effects, changes } = transaction;
    const firstChange = newest() + 1;
    changes.write(firstChange);
    const lastChange = firstChange + changes.size - 1;
    const none = { firstChange: null, lastChange: null };
    const done: TransactionResults = { results, ...(changes.size === 0 ? none : { firstChange, lastChange }) };
    if (once !== undefined) keys.store(ownKeys, once, now, 0, JSON.stringify(done));
    return { outcome: done, effects };
  }

  /** The state of a transaction while its operations are applied. */
  class OpenTransaction {
    readonly results: StepResult[] = [];
    readonly effects: Effect[] = [];
    readonly changes = new OpenChanges();
    /** The records that operations have made, by the index of the operation. */
    readonly #made: (number | undefined)[] = [];
    readonly #stamp: Stamp;
    /** Records that operations without an id have changed. */
    #matched = 0;
    /** Of the records that operations have read by their ids, or changed. */
    #bytes = 0;
    readonly #searches = new BoundedSearch(db, statements);

    constructor(
      readonly write: TransactionWrite,
      readonly now: string,
    ) {
      this.#stamp = { at: now, by: write.by, traceId: write.traceId, open: this.changes };
    }

    /** The index of the next operation, and of the one that has failed. */
    get operation(): number {
      return this.#made.length;
    }

    /** Applies the next operation; creations that follow one another in one collection together, as a bulk does. */
    next(): void {
      const { steps } = this.write;
      const run = creationsFrom(steps, this.operation);
      const [step = steps[this.operation]] = run;
      if (step === undefined) return;
      if (run.length > 1) this.#createAll(step.place, run);
      else this.#done(step, this.#resultOf(step));
    }

    #done(step: StepWrite, result: StepResult): void {
      if (step.op !== 'check' || !step.isGuard) this.results.push(result);
      this.#made.push('recordId' in result ? result.recordId : undefined);
    }

    #createAll(place: number, run: readonly CreateStep[]): void {
      const texts = run.map(({ json }) => textOf(json, this.#made));
      tableAt(place)
        .append(texts, this.#stamp)
        .forEach((outcome, index) => {
          const step = run[index];
          if (step !== undefined) this.#done(step, this.#created(place, texts[index] ?? '', outcome));
        });
    }

    readonly creatorOf: Creator = (name, recordId) => {
      const isIn = ({ place }: { readonly place: number }) => tableAt(place).collection.name === name;
      if (!this.effects.some((effect) => 'created' in effect && effect.created === recordId && isIn(effect))) return -1;
      return this.write.steps.findIndex(
        (step, index) => this.#made[index] === recordId && (step.op === 'create' || step.op === 'upsert') && isIn(step),
      );
    };

    #resultOf(step: StepWrite): StepResult {
      const { place } = step;
      switch (step.op) {
        case 'create':
          return this.#judged(step, this.#create(place, textOf(step.json, this.#made)));
        case 'upsert':
          return this.#judged(step, this.#upsert(step));
        case 'check':
          return 'search' in step.target ? this.#count(step.target) : this.#checkOne(place, step.target);
        case 'update': {
          const json = textOf(step.json, this.#made);
          return this.#changeEach(place, step.target, (stored) =>
            this.#judged(step, this.#update(place, stored, json)),
          );
        }
        case 'add':
          return this.#changeEach(place, step.target, (stored) =>
            this.#judged(step, this.#updated(place, stored, tableAt(place).add(stored, step.json, this.#stamp))),
          );
        case 'delete':
          return this.#changeEach(place, step.target, (stored) => this.#delete(place, stored));
      }
    }

    /** Throws if the record after the change is not as it must be. */
    #judged({ after }: { readonly after: RecordCondition | undefined }, result: StepResult): StepResult {
      if (after !== undefined && 'recordId' in result && this.#searches.record(after, result.recordId) === null)
        throw new Fault('refused');
      return result;
    }

    /** Changes the record, or all that match. */
    #changeEach(
      place: number,
      target: OneWrite | MatchingWrite,
      change: (stored: StoredRow) => StepResult,
    ): StepResult {
      if (!('search' in target)) return change(this.#require(place, target));
      const recordIds = this.#searches.find(target.search).map(([recordId]) => Number(recordId));
      this.#matched += recordIds.length;
      if (this.#matched > maxMatching) throw new Fault('too many to change');
      const count = recordIds.length;
      if (target.count !== undefined && !countHolds(count, target.count)) throw new Fault({ count });
      // A cascade may have deleted some of them.
      for (const recordId of recordIds) {
        const stored = tableAt(place).get(recordId);
        if (stored !== null) change(stored);
      }
      return { count };
    }

    #create(place: number, json: string): StepResult {
      return this.#created(place, json, tableAt(place).create(json, undefined, this.#stamp));
    }

    #created(place: number, json: string, outcome: Outcome): StepResult {
      if (typeof outcome !== 'number') throw faultOf(outcome);
      this.#note({ place, created: outcome, json });
      const { now: at } = this;
      const whole = tableAt(place).complete(json, outcome, at);
      return this.#changed({ recordId: outcome, version: 1, createdAt: at, updatedAt: at, json: whole });
    }

    #upsert({ place, json, sent, ...key }: Extract<StepWrite, { op: 'upsert' }>): StepResult {
      const given = textOf(sent, this.#made);
      const recordId = tableAt(place).recordWith(key, given);
      const stored = recordId === undefined ? null : tableAt(place).get(recordId);
      return stored === null ? this.#create(place, textOf(json, this.#made)) : this.#update(place, stored, given);
    }

    #update(place: number, stored: StoredRow, json: string): StepResult {
      return this.#updated(place, stored, tableAt(place).updateRow(stored, json, this.#stamp));
    }

    #updated(place: number, { seq }: StoredRow, outcome: Outcome | OutOfBounds): StepResult {
      if (isOutOfBounds(outcome) || !isUpdated(outcome)) throw faultOf(outcome);
      const recordId = Number(seq);
      this.#note({ place, recordId, ...outcome });
      const { version, createdAt, json } = outcome;
      return this.#changed({ recordId, version, createdAt, updatedAt: this.now, json });
    }

    #delete(place: number, stored: StoredRow): StepResult {
      const result = this.#read(place, stored);
      const outcome = cascade.remove(place, stored, this.write.permitted, this.#stamp);
      if (isClashed(outcome)) throw faultOf(outcome);
      const { others = [], ...removed } = outcome;
      for (const other of others) this.#note(other);
      this.#note({ place, ...removed });
      return result;
    }

    #checkOne(place: number, target: OneWrite & { readonly exists: boolean }): StepResult {
      if (target.exists) return this.#read(place, this.#require(place, target, 'unmatched'));
      const recordId = this.#recordId(target.recordId);
      if (tableAt(place).get(recordId) !== null) throw new Fault('unmatched');
      return { recordId, version: null };
    }

    #count({ search, count: bounds }: MatchingWrite): StepResult {
      const count = Number(this.#searches.find(search)[0]?.[0] ?? 0);
      if (count > maxExamined.records) throw new Fault('too many to read');
      if (bounds !== undefined && !countHolds(count, bounds)) throw new Fault({ count });
      return { count };
    }

    /** A record that exists and is as the operation requires. */
    #require(place: number, { recordId: ref, when, where }: OneWrite, missing: OperationFault = 'missing'): StoredRow {
      const recordId = this.#recordId(ref);
      const matching = where === undefined ? null : this.#searches.record(where, recordId);
      const stored = tableAt(place).current(matching ?? recordId, when);
      if (typeof stored === 'string') throw new Fault(stored === 'missing' ? missing : stored);
      if (where !== undefined && matching === null) throw new Fault('unmatched');
      return stored;
    }

    #note(effect: Effect): void {
      this.effects.push(effect);
      if (this.effects.length > maxChanges) throw new Fault('too many changes');
    }

    #changed(record: Recorded): StepResult {
      this.#handled(record.json.length);
      const { recordId, version } = record;
      return this.write.returnsRecords ? withRecord(record) : { recordId, version };
    }

    #read(place: number, stored: StoredRow): StepResult {
      this.#handled(sizeOf(Object.values(stored)));
      if (this.write.returnsRecords) return withRecord(recordedOf(tableAt(place), stored));
      return { recordId: Number(stored.seq), version: Number(stored.version) };
    }

    #handled(bytes: number): void {
      this.#bytes += bytes;
      if (this.#bytes > maxRecordBytes) throw new Fault('too large');
    }

    #recordId(ref: RecordRef): number {
      return typeof ref === 'number' ? ref : (this.#made[ref.made] ?? 0);
    }
  }

  return {
    apply,
    close: () => statements.close(),
  };
}

function recordedOf({ encode }: TableWriter, stored: StoredRow): Recorded {
  const { seq, version, created_at: createdAt, updated_at: updatedAt } = stored;
  return { recordId: Number(seq), version: Number(version), createdAt, updatedAt, json: encode({ ...stored }) };
}

function withRecord(record: Recorded): StepResult {
  const { recordId, version } = record;
  return { recordId, version, record };
}
