/** Reads the body of a transaction. Finds every mistake in all operations, each with the path to it. */
import { elementsOf, kindOf } from '../../exact/json-text.ts';
import { invalidBody, type Problem } from '../errors.ts';
import { type Json, ParsedText, parseJson } from '../input/json.ts';
import { namesIn } from '../input/names-in.ts';
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
  readonly #sent: readonly (ParsedText | string)[];
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
    this.#sent = this.#operations(json);
  }

  #mistake(field: string, message: string): void {
    this.#problems.push({ field, message });
  }

  #operations(json: Json): readonly (ParsedText | string)[] {
    const sent = operationsIn(json);
    if (sent === undefined) this.#mistake('operations', 'is required');
    else if (sent === 'no list') this.#mistake('operations', 'must be a list');
    else if (sent.length > 0 && sent.length <= maxOperations) return sent;
    else this.#mistake('operations', `has ${sent.length} operations, and must have 1 to ${maxOperations}`);
    return [];
  }

  /** Reads the next operation; false if there is none. Throws `forbidden`. */
  next(): boolean {
    const sent = this.#sent[this.#index];
    if (sent === undefined) return false;
    const json = typeof sent === 'string' ? parseJson(sent) : sent;
    const step = this.#step(new SentOperation(this.#index++, json, this.#problems));
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
    const name = sent.string('op');
    const op = name !== undefined && isOperation(name) ? name : undefined;
    if (name !== undefined && op === undefined)
      sent.mistake(['op'], `unknown operation${suggestion(name, operationNames)}`);
    const collection = this.#collection(sent, op);
    if (op === undefined) return undefined;
    const known: readonly string[] = operationMembers[op];
    for (const member of namesIn(sent.members, (name) => known.includes(name)))
      if (!known.includes(member)) sent.mistake([member], `unknown member of ${op}${suggestion(member, known)}`);
    // Its own name is not an earlier one.
    const reader = new OperationReader(sent, this.#created, this.#context.targetOf);
    const step = collection === undefined ? reader.withoutCollection() : reader.read(op, collection);
    if (op === 'create') this.#created.add(sent, collection);
    return step;
  }

  #collection(sent: SentOperation, op: OperationName | undefined): Collection | undefined {
    const name = sent.string('collection');
    if (name === undefined) return undefined;
    const needed = op === undefined || op === 'check' ? 'read' : 'write';
    return (
      this.#context.collectionOf(name, needed, op) ??
      sent.mistake(['collection'], `unknown collection${suggestion(name, this.#context.known)}`)
    );
  }
}

/** A large body comes without nested values: its operations are texts, which are parsed one at a time. */
function operationsIn(json: Json): readonly (ParsedText | string)[] | 'no list' | undefined {
  if (!Object.hasOwn(json.value as object, 'operations')) return undefined;
  if (json instanceof ParsedText) return json.member('operations').elements() ?? 'no list';
  const text = json.text('operations') ?? '';
  return kindOf(text) === 'array' ? elementsOf(text) : 'no list';
}

/** Throws `invalid_body` or `forbidden`. */
export function readTransaction(json: Json, context: TransactionContext): Read {
  const reader = new TransactionReader(json, context);
  while (reader.next());
  return reader.end();
}
