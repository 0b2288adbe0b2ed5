/** Reads the body of a transaction. Finds every mistake in all operations, each with the path to it. */
import { elementsOf, type JsonText, kindOf } from '../../exact/json-text.ts';
import { invalidBody, type Problem } from '../errors.ts';
import type { Json } from '../input/json.ts';
import { suggestion } from '../input/suggest.ts';
import type { Collection } from '../record/collection.ts';
import { objectIn } from '../record/row.ts';
import type { Step } from '../store/operation.ts';
import type { MultiTransaction } from '../store/transaction.ts';
import type { TargetOf } from '../where/field-path.ts';
import { CreatedRecords } from './created-records.ts';
import { isOperation, type OperationName, operationMembers, operationNames } from './operation-members.ts';
import { OperationReader } from './read-operation.ts';
import { SentOperation } from './sent-operation.ts';

export const maxOperations = 1000;

/** The members of the body. */
const members: readonly string[] = ['operations', 'return'];

export type TransactionContext = {
  /** Undefined if there is none with this name. Throws `forbidden` if the caller may not do this with its records. */
  collectionOf(name: string, needed: 'read' | 'write', op: OperationName | undefined): Collection | undefined;
  /** The names of collections that a message may have. */
  readonly known: readonly string[];
  readonly targetOf: TargetOf;
};

type Read = Pick<MultiTransaction, 'operations' | 'returnsRecords'>;

/** Reads one operation at a time, so that a thread can do other work between them. */
export class TransactionReader {
  readonly #context: TransactionContext;
  readonly #problems: Problem[] = [];
  readonly #texts: readonly JsonText[];
  readonly #returnsRecords: boolean;
  readonly #created = new CreatedRecords();
  readonly #steps: Step[] = [];
  #index = 0;

  /** Throws `invalid_body` for a body that is no object. */
  constructor(json: Json, context: TransactionContext) {
    this.#context = context;
    const sent = objectIn('transaction', json);
    for (const name of Object.keys(sent))
      if (!members.includes(name)) this.#mistake(name, `unknown member${suggestion(name, members)}`);
    this.#returnsRecords = sent.return === 'records';
    if (!this.#returnsRecords && sent.return !== undefined)
      this.#mistake('return', 'must be "records", or be left out');
    this.#texts = this.#operationsIn(json.text('operations'));
  }

  #mistake(field: string, message: string): void {
    this.#problems.push({ field, message });
  }

  #operationsIn(text: JsonText | undefined): readonly JsonText[] {
    const texts = text !== undefined && kindOf(text) === 'array' ? elementsOf(text) : undefined;
    if (texts !== undefined && texts.length > 0 && texts.length <= maxOperations) return texts;
    if (text === undefined) this.#mistake('operations', 'is required');
    else if (texts === undefined) this.#mistake('operations', 'must be a list');
    else this.#mistake('operations', `has ${texts.length} operations, and must have 1 to ${maxOperations}`);
    return [];
  }

  /** Reads the next operation; false if there is none. Throws `forbidden`. */
  next(): boolean {
    const text = this.#texts[this.#index];
    if (text === undefined) return false;
    const step = this.#step(new SentOperation(this.#index++, text, this.#problems));
    if (step !== undefined) this.#steps.push(step);
    return true;
  }

  /** After all operations. Throws `invalid_body` with every mistake. */
  end(): Read {
    if (this.#problems.length > 0) throw invalidBody('transaction', this.#problems);
    return { operations: this.#steps, returnsRecords: this.#returnsRecords };
  }

  #step(sent: SentOperation): Step | undefined {
    if (!sent.isObject) return undefined;
    const name = sent.text('op');
    const op = name !== undefined && isOperation(name) ? name : undefined;
    if (name !== undefined && op === undefined)
      sent.mistake(['op'], `unknown operation${suggestion(name, operationNames)}`);
    const collection = this.#collection(sent, op);
    if (op === undefined) return undefined;
    const known: readonly string[] = operationMembers[op];
    for (const member of sent.members.keys())
      if (!known.includes(member)) sent.mistake([member], `unknown member of ${op}${suggestion(member, known)}`);
    // Its own name is not an earlier one.
    const reader = new OperationReader(sent, this.#created, this.#context.targetOf);
    const step = collection === undefined ? reader.withoutCollection() : reader.read(op, collection);
    if (op === 'create') this.#created.add(sent, collection);
    return step;
  }

  #collection(sent: SentOperation, op: OperationName | undefined): Collection | undefined {
    const name = sent.text('collection');
    if (name === undefined) return undefined;
    const needed = op === undefined || op === 'check' ? 'read' : 'write';
    return (
      this.#context.collectionOf(name, needed, op) ??
      sent.mistake(['collection'], `unknown collection${suggestion(name, this.#context.known)}`)
    );
  }
}

/** Throws `invalid_body` or `forbidden`. */
export function readTransaction(json: Json, context: TransactionContext): Read {
  const reader = new TransactionReader(json, context);
  while (reader.next());
  return reader.end();
}
