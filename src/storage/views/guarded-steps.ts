/**
 * The operations of a caller with a role, each behind checks of its rights. The checks run in the same transaction, where writes are ordered: on the records
 * as they are then.
 */
import type { BoundAccess } from '../../domain/access/bound-access.ts';
import type { Rights } from '../../domain/access/rights.ts';
import type { Sight } from '../../domain/access/view.ts';
import { Failure } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type {
  AddStep,
  CheckStep,
  CreateStep,
  DeleteStep,
  RecordPieces,
  RecordRef,
  Step,
  UpdateStep,
  UpsertStep,
} from '../../domain/store/operation.ts';
import type { FieldValue } from '../../domain/types/type.ts';
import type { Condition, Where } from '../../domain/where/where.ts';
import { membersOf } from '../../exact/json-text.ts';

/** What it means when a step fails. */
export type Meaning =
  | { readonly kind: 'own' }
  /** The record does not exist for the caller. */
  | { readonly kind: 'missing' }
  /** A check that the caller asked for does not hold. */
  | { readonly kind: 'unmatched' }
  /** The rule does not allow it for this record, or after the change. */
  | { readonly kind: 'forbidden'; readonly why: string }
  /** A reference leads to no record that the caller may read. */
  | { readonly kind: 'no target'; readonly field: string; readonly to: string; readonly id: string }
  /** A hidden record has the values of the key. */
  | { readonly kind: 'taken'; readonly fields: readonly string[] };

export type Guarded = {
  readonly step: Step;
  /** The index of the caller's operation. */
  readonly operation: number;
  readonly meaning: Meaning;
};

const own: Meaning = { kind: 'own' };

/** Throws `forbidden` for an operation that no rule allows. */
export function guardedSteps(access: BoundAccess, steps: readonly Step[]): readonly Guarded[] {
  const guard = new Guard(access);
  for (const [operation, step] of steps.entries()) guard.add(step, operation);
  return guard.steps;
}

class Guard {
  readonly steps: Guarded[] = [];
  /** Where the operations of the caller are among the steps. */
  readonly #places: number[] = [];
  #operation = 0;

  constructor(readonly access: BoundAccess) {}

  add(step: Step, operation: number): void {
    this.#operation = operation;
    const rights = this.access.rightsOf(step.collection);
    if (rights === undefined) throw new Failure('unknown_path');
    const collection = rights.view.collection;
    if (step.op === 'create') this.#create({ ...step, collection }, rights);
    else if (step.op === 'update' || step.op === 'add') this.#update({ ...step, collection }, rights);
    else if (step.op === 'delete') this.#delete({ ...step, collection }, rights);
    else if (step.op === 'upsert') this.#upsert({ ...step, collection }, rights);
    else this.#check({ ...step, collection }, rights);
  }

  #push(step: Step, meaning: Meaning): void {
    this.steps.push({ step, operation: this.#operation, meaning });
  }

  /** Adds the operation of the caller itself. */
  #pushOwn(step: Step, meaning: Meaning = own): void {
    this.#places[this.#operation] = this.steps.length;
    this.#push(step, meaning);
  }

  #create(step: CreateStep, rights: Rights): void {
    const right = rights.create ?? forbid(rights, 'create');
    this.#references(step.collection, step.json, right.set);
    this.#pushOwn({ ...step, json: this.#moved(step.json), after: right.check });
  }

  #update(step: UpdateStep | AddStep, rights: Rights): void {
    const right = rights.update ?? forbid(rights, 'update');
    // A sum has no place for the fields that the server sets.
    if (step.op === 'add' && Object.keys(right.set).length > 0) forbid(rights, 'add to');
    if (step.op === 'update') this.#references(step.collection, step.json, right.set);
    const json = step.op === 'update' ? { json: this.#moved(step.json) } : {};
    const target = this.#target(step, rights, right.where, 'update');
    this.#pushOwn({ ...step, ...json, ...target, after: right.check } as Step);
  }

  #delete(step: DeleteStep, rights: Rights): void {
    const right = rights.delete ?? forbid(rights, 'delete');
    this.#pushOwn({ ...step, ...this.#target(step, rights, right.where, 'delete') } as Step);
  }

  /** Guards the target, and returns what of it changes. */
  #target(step: UpdateStep | AddStep | DeleteStep, rights: Rights, where: Where, operation: string): object {
    const { collection } = step;
    const sight = sightOf(rights);
    if (step.recordId !== undefined) {
      const recordId = this.#ref(step.recordId);
      this.#visible(collection, recordId, sight, { kind: 'missing' });
      if (where.length > 0)
        this.#push(guardOf(collection, recordId, where), { kind: 'forbidden', why: whyNot(rights, operation) });
      return { recordId };
    }
    const seen = [...sight.where, ...step.where];
    if (where.length > 0)
      this.#push(
        { op: 'check', collection, where: [...seen, { not: where }], count: { eq: 0 }, isGuard: true },
        { kind: 'forbidden', why: whyNot(rights, operation) },
      );
    return { where: seen };
  }

  #upsert(step: UpsertStep, rights: Rights): void {
    const create = rights.create ?? forbid(rights, 'create');
    const update = rights.update ?? forbid(rights, 'update');
    const { set } = rights.upsert ?? forbid(rights, 'upsert');
    const { collection, rule } = step;
    const sight = sightOf(rights);
    const key = keyOf(collection, step);
    if (key !== undefined) {
      const same: Where = [...key, ...(rule.where ?? [])];
      if (sight.where.length > 0)
        this.#push(
          { op: 'check', collection, where: [...same, { not: sight.where }], count: { eq: 0 }, isGuard: true },
          { kind: 'taken', fields: rule.fields },
        );
      if (update.where.length > 0)
        this.#push(
          { op: 'check', collection, where: [...same, { not: update.where }], count: { eq: 0 }, isGuard: true },
          { kind: 'forbidden', why: whyNot(rights, 'update') },
        );
    }
    this.#references(collection, step.json, set);
    const after = ofNewAndOld(create.check, update.check);
    this.#pushOwn({
      ...step,
      json: this.#moved(step.json),
      sent: withSet(this.#moved(step.sent), collection, set),
      after,
    });
  }

  #check(step: CheckStep, rights: Rights): void {
    const { collection } = step;
    const sight = sightOf(rights);
    if (step.recordId === undefined) {
      this.#pushOwn({ ...step, where: [...sight.where, ...step.where] });
      return;
    }
    const recordId = this.#ref(step.recordId);
    if (step.exists) this.#visible(collection, recordId, sight, { kind: 'unmatched' });
    if (step.exists || typeof recordId !== 'number' || sight.where.length === 0) {
      this.#pushOwn({ ...step, recordId });
      return;
    }
    // A hidden record is as good as none.
    const where: Where = [{ field: 'id', operator: 'eq', values: [BigInt(recordId)] }, ...sight.where];
    this.#pushOwn({ op: 'check', collection, where, count: { eq: 0 } }, { kind: 'unmatched' });
  }

  /** Even where every record is visible: a missing one is found before its version is compared. */
  #visible(collection: Collection, recordId: RecordRef, sight: Sight, meaning: Meaning): void {
    this.#push(guardOf(collection, recordId, sight.where), meaning);
  }

  /** A reference that is sent must lead to a record that the caller may read. Those that the server sets may lead anywhere. */
  #references(collection: Collection, json: RecordPieces, set: Readonly<Record<string, FieldValue>>): void {
    if (collection.references.length === 0) return;
    const members = membersOf(textOf(json));
    for (const { field, to } of collection.references) {
      const id = Object.hasOwn(set, field) ? undefined : members.get(field);
      if (id === undefined || id === 'null') continue;
      const meaning: Meaning = { kind: 'no target', field, to, id };
      const view = this.access.viewOf({ name: to });
      // No record has the id of a collection that does not exist for the caller.
      if (view?.sight === undefined) this.#push(never(collection), meaning);
      else if (!/^[1-9]\d{0,15}$/.test(id) || !Number.isSafeInteger(Number(id)))
        this.#push(never(view.collection), meaning);
      else this.#push(guardOf(view.collection, Number(id), view.sight.where), meaning);
    }
  }

  #ref(ref: RecordRef): RecordRef {
    return typeof ref === 'number' ? ref : { made: this.#places[ref.made] ?? 0 };
  }

  #moved(pieces: RecordPieces): RecordPieces {
    return pieces.map((piece) => (typeof piece === 'string' ? piece : (this.#places[piece] ?? 0)));
  }
}

/** The fields that the server sets, in an encoded record that may lack them. */
function withSet(
  pieces: RecordPieces,
  { columns }: Collection,
  set: Readonly<Record<string, FieldValue>>,
): RecordPieces {
  const sent = membersOf(textOf(pieces));
  const lacking = Object.entries(set).filter(([key]) => !sent.has(key));
  if (lacking.length === 0) return pieces;
  const members = lacking.map(([key, value]) => {
    const encoded = value === null ? 'null' : columns.get(key)?.field.encode(value);
    return `${JSON.stringify(key)}:${encoded}`;
  });
  const last = String(pieces.at(-1)).slice(0, -1);
  return [...pieces.slice(0, -1), `${last}${sent.size === 0 ? '' : ','}${members.join()}}`];
}

/** References that are still open are null. */
function textOf(pieces: RecordPieces): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : 'null')).join('');
}

function sightOf({ view }: Rights): Sight {
  if (view.sight === undefined) throw new Error('a role has a sight');
  return view.sight;
}

function guardOf(collection: Collection, recordId: RecordRef, where: Where): Step {
  return { op: 'check', collection, recordId, exists: true, where, isGuard: true };
}

/** Never holds: no record has this id. */
function never(collection: Collection): Step {
  return { op: 'check', collection, recordId: 0, exists: true, isGuard: true };
}

/** The version says whether the record is new. */
function ofNewAndOld(created: Where, updated: Where): Where {
  if (created.length === 0 && updated.length === 0) return [];
  const version = (operator: 'eq' | 'gt'): Condition => ({ field: 'version', operator, values: [1n] });
  return [
    {
      any: [
        [version('eq'), ...created],
        [version('gt'), ...updated],
      ],
    },
  ];
}

/** Undefined if a value of the key is null: no record has it then. */
function keyOf({ columns, fields }: Collection, { rule, sent }: UpsertStep): Where | undefined {
  const members = membersOf(textOf(sent));
  const where: Condition[] = [];
  for (const name of rule.fields) {
    const text = members.get(name);
    const field = columns.get(name)?.field ?? fields[name];
    if (text === undefined || text === 'null' || field === undefined) return undefined;
    where.push({ field: name, operator: 'eq', values: [field.revive(JSON.parse(text), text)] });
  }
  return where;
}

export function whyNot({ role, view }: Rights, operation: string): string {
  return `The role ${role} may not ${operation} this ${view.collection.singular}.`;
}

function forbid(rights: Rights, operation: string): never {
  throw new Failure('forbidden', {
    detail: `The role ${rights.role} may not ${operation} records of ${rights.view.collection.name}.`,
  });
}
