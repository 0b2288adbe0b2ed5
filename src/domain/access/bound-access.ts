/** The rules of one role, with the values of a request. Rights are compiled when they are first needed. */
import type { Problem } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import type { Collection } from '../record/collection.ts';
import type { Plain } from '../record/declaration.ts';
import { plainJson } from '../record/plain-data.ts';
import type { FieldValue } from '../types/type.ts';
import type { TargetOf } from '../where/field-path.ts';
import { readWhere } from '../where/read-where.ts';
import { type Condition, type Filterable, fieldsIn, filtersIn, type Where } from '../where/where.ts';
import { bodyCollection } from './body-shape.ts';
import { type CreateRight, nothing, type Rights, type UpdateRight } from './rights.ts';
import type { CollectionRules, CreateRules, UpdateRules } from './role-rules.ts';
import { bound, isClock, type Request, variablesIn } from './variables.ts';
import type { View } from './view.ts';

export class BoundAccess {
  readonly #views = new Map<string, View>();
  readonly #rights = new Map<string, Rights>();

  /** `key` is the same for requests with the same role and claims, whatever their time: cursors are sealed with it. */
  constructor(
    readonly role: string,
    readonly rules: ReadonlyMap<string, CollectionRules>,
    readonly request: Request,
    readonly key: string,
  ) {}

  /** Undefined for a collection that does not exist for the role. */
  viewOf({ name }: Pick<Filterable, 'name'>): View | undefined {
    const rules = this.rules.get(name);
    if (rules === undefined) return undefined;
    const known = this.#views.get(name);
    if (known !== undefined) return known;
    // It ends: no path in rules for reading leads back to its own collection.
    const view = this.#view(rules);
    this.#views.set(name, view);
    return view;
  }

  rightsOf(collection: Pick<Filterable, 'name'>): Rights | undefined {
    const rules = this.rules.get(collection.name);
    const view = this.viewOf(collection);
    if (rules === undefined || view === undefined) return undefined;
    const known = this.#rights.get(collection.name) ?? this.#rightsBy(rules, view);
    this.#rights.set(collection.name, known);
    return known;
  }

  /** The collections that paths in rules and in queries of the caller lead to. */
  readonly targetOf: TargetOf = (name) => {
    const view = this.viewOf({ name });
    if (view?.sight === undefined) return { refused: 'leads to records that may not be read' };
    const { collection, sight } = view;
    const { columns, references, searched } = sight.seen;
    return { name, columns, references, searched, sight: { of: collection, where: sight.where } };
  };

  #view({ stored, seen, isWhole, read }: CollectionRules): View {
    const where = read === undefined ? nothing : this.#where(stored, read.where);
    return {
      collection: stored,
      sight: { where, seen, isWhole, key: `${this.key} ${stored.name}`, noFeed: noFeed(this.role, where, read?.where) },
    };
  }

  #rightsBy(rules: CollectionRules, view: View): Rights {
    const { stored, remove } = rules;
    return {
      role: this.role,
      view,
      create: rules.create && this.#create(rules, rules.create, true),
      update: rules.update && this.#update(rules, rules.update),
      upsert: rules.upsert && this.#create(rules, rules.upsert, true),
      delete: remove && { where: this.#where(stored, remove.where) },
    };
  }

  #create(
    rules: CollectionRules,
    { sendable, set: declared, check }: CreateRules,
    isNew: boolean,
  ): CreateRight | undefined {
    const set = this.#set(rules.stored, declared);
    if (set === undefined) return undefined;
    const body = bodyCollection({ role: this.role, stored: rules.stored, seen: rules.seen, sendable, isNew }, set);
    return { body, set, check: this.#where(rules.stored, check) };
  }

  #update(rules: CollectionRules, own: UpdateRules): UpdateRight | undefined {
    const right = this.#create(rules, own, false);
    if (right === undefined) return undefined;
    const where = this.#where(rules.stored, own.where);
    return { ...right, where, check: [...where.filter((one) => !isFree(one, own.named)), ...right.check] };
  }

  /** A value that is absent, or of another type than the field, makes the whole condition false: also inside `not`. */
  #where(stored: Collection, where: Plain | undefined): Where {
    if (where === undefined) return [];
    const plain = bound(where, this.request);
    if (plain === undefined) return nothing;
    const problems: Problem[] = [];
    const read = readWhere(stored, parseJson(plainJson(plain)), this.targetOf, problems);
    return problems.length > 0 ? nothing : read;
  }

  /** Undefined if a value is absent or of another type. */
  #set({ record }: Collection, set: Readonly<Record<string, Plain>> | undefined) {
    const values: Record<string, FieldValue> = {};
    for (const [key, plain] of Object.entries(set ?? {})) {
      const field = record.writable[key];
      const value = bound(plain, this.request);
      if (field === undefined || value === undefined) return undefined;
      if (value === null) {
        if (!field.declared.optional) return undefined;
        values[key] = null;
        continue;
      }
      const json = parseJson(`{"value":${plainJson(value)}}`);
      const { value: given } = json.value as { readonly value: unknown };
      const read = field.read(given, field.takesText ? json.text('value') : json.literal('value'));
      if (typeof read === 'object') return undefined;
      values[key] = read;
    }
    return values;
  }
}

/** The rule names the fields of such a condition as those that may be sent: a loan that is open may be returned. */
export function isFree(condition: Condition, named: readonly string[]): boolean {
  const compared = fieldsIn([condition]);
  const hasPath = filtersIn([condition]).some(({ via }) => via !== undefined);
  return compared.length > 0 && !hasPath && compared.every((field) => named.includes(field));
}

/** Such a condition can hold, or cease to hold, without a change of the record. */
function noFeed(role: string, where: Where, declared: Plain | undefined): string | undefined {
  const because = (what: string) =>
    `The rule of the role ${role} for reading has ${what}, which can change without a change of the record: read lists instead of following changes.`;
  if (filtersIn(where).some(({ via }) => via !== undefined)) return because('a path to another record');
  if (variablesIn(declared).some(isClock)) return because('the time');
  return undefined;
}
