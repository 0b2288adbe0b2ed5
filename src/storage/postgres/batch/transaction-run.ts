/** A transaction of several operations as a run of a batch; schema/transaction-function.ts describes it. */
import type { Collection } from '../../../domain/record/collection.ts';
import type { RecordPieces, RecordRef, Step } from '../../../domain/store/operation.ts';
import type { MultiTransaction } from '../../../domain/store/transaction.ts';
import type { Where } from '../../../domain/where/where.ts';
import { condition } from '../../query-sql.ts';
import { keyCondition } from '../statements/key-condition.ts';
import { dialect } from '../statements/table-sql.ts';
import { indexFor } from './index-for.ts';
import { callerMembers, onceMembers, type Target, targetMembers, whenMember, wordsMember } from './members.ts';

/** What an operation counts for besides its record, in bytes. */
const stepSize = 256;

/** Approximate size in bytes. */
export function transactionSize({ operations }: MultiTransaction): number {
  return operations.reduce((sum, step) => sum + stepSize + ('json' in step ? lengthOf(step.json) : 0), 0);
}

function lengthOf(json: RecordPieces | string): number {
  return typeof json === 'string' ? json.length : json.reduce<number>((sum, piece) => sum + String(piece).length, 0);
}

/** How the members of a step begin that is more than a run for one record. */
const beyondRuns = ['"pieces":', '"search":', '"key":'];

export function transactionRun(transaction: MultiTransaction): string {
  const { operations, once, by, trace, permitted, returnsRecords } = transaction;
  const steps = operations.map((step) => {
    const target = { to: step.collection.name, by, traceId: trace?.id };
    const [judged, members] = [judgeMembers(step), stepMembers(step, target, permitted)];
    const isSpecial = judged !== '' || beyondRuns.some((start) => members.startsWith(start));
    return `{"to":"${target.to}",${isSpecial ? '"special":true,' : ''}${judged}${members}}`;
  });
  return `{${targetMembers({ to: '', by, traceId: trace?.id })},${onceMembers(once)}"records":${returnsRecords},"operations":[${steps.join()}]}`;
}

/** Each has a comma after it. */
function judgeMembers(step: Step): string {
  if (step.op === 'check') return step.isGuard ? '"guard":true,' : '';
  if (step.op === 'delete' || step.after === undefined || step.after.length === 0) return '';
  return `"after":${conditionText(step.collection, step.after)},`;
}

function stepMembers(step: Step, target: Target, permitted: MultiTransaction['permitted']): string {
  const { collection } = step;
  if (step.op === 'create')
    return runMembers(['"create":', ...step.json, wordsMember(collection, textOf(step.json)), callerMembers(target)]);
  if (step.op === 'upsert')
    return `"key":${JSON.stringify(keyCondition(collection, step.rule, '$1'))},"sent":${JSON.stringify(step.sent)},"add":${JSON.stringify(step.json)}${wordsMember(collection, textOf(step.json))}`;
  const member = { update: 'seq', add: 'seq', delete: 'discard', check: 'check' }[step.op];
  const change = [...changePieces(step, permitted), callerMembers(target)];
  if (step.recordId !== undefined) {
    const isAbsent = step.op === 'check' && !step.exists;
    const on = isAbsent ? '' : `${whenMember(step.when)}${whereMember(collection, step.where)}`;
    return runMembers([`"${member}":`, ...idPieces(step.recordId), on, ...change]);
  }
  const search = `"search":${JSON.stringify(searchOf(collection, step.where))}`;
  const found = step.count === undefined ? search : `${search},"count":${JSON.stringify(step.count)}`;
  if (step.op === 'check') return found;
  return `${found},"member":"${member}","pieces":${JSON.stringify([...change, '}'])}`;
}

/** Members of a run after the record that it is for. */
function changePieces(
  step: Exclude<Step, { op: 'create' | 'upsert' }>,
  permitted: MultiTransaction['permitted'],
): RecordPieces {
  switch (step.op) {
    case 'update':
      return [',"update":', ...step.json, wordsMember(step.collection, textOf(step.json))];
    case 'add':
      return [`,"sum":${step.json}`];
    case 'delete':
      return permitted === undefined ? [] : [`,"permitted":${JSON.stringify(permitted)}`];
    case 'check':
      return step.recordId === undefined ? [] : [`,"exists":${step.exists}`];
  }
}

/** References that are still open have no words. */
function textOf(json: RecordPieces): string {
  return json.map((piece) => (typeof piece === 'string' ? piece : 'null')).join('');
}

/** The run itself, unless it needs the id of a record that does not exist yet. */
function runMembers(pieces: RecordPieces): string {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return `"pieces":${JSON.stringify(['{', ...pieces, '}'])}`;
}

function idPieces(recordId: RecordRef): RecordPieces {
  return typeof recordId === 'number' ? [String(recordId)] : [recordId.made];
}

function whereMember(collection: Collection, where: Where | undefined): string {
  return where === undefined ? '' : `,"where":${conditionText(collection, where)}`;
}

/** Parameters are the elements of one, so that any number of them can be given to a statement in a function. */
function conditionOf(collection: Collection, where: Where, before: readonly string[] = []) {
  const within = {
    ...dialect,
    parameter: ((index, { field: { postgres } }) =>
      `$1[${index + before.length}]::${postgres.parameter ?? postgres.name}`) satisfies typeof dialect.parameter,
  };
  const { sql, parameters } = condition(within, collection, where, []);
  const values = [...before, ...parameters];
  return { sql: sql === '' ? 'true' : sql.slice('where '.length), values };
}

/** The text of a `text[]`, which PostgreSQL reads several times as fast as elements of JSON. */
function listText(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join()}}`;
}

function conditionText(collection: Collection, where: Where): string {
  const { sql, values } = conditionOf(collection, where);
  return JSON.stringify({ sql, values: listText(values) });
}

function searchOf(collection: Collection, where: Where) {
  const { filters, order } = indexFor(collection, where);
  const whole = conditionOf(collection, where);
  const { sql: index, values } = conditionOf(collection, filters, whole.values);
  return { sql: whole.sql, index, values: listText(values), order: order.join(', ') };
}
