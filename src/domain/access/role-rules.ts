/** The rules of one role for one collection, prepared once at the start. */
import type { Collection } from '../record/collection.ts';
import type { Plain } from '../record/declaration.ts';
import { plainJson } from '../record/plain-data.ts';
import type { AccessRule, CreateRule, DeleteRule, ReadRule, UpdateRule } from './declaration.ts';
import { seenCollection } from './seen-collection.ts';

export type CreateRules = {
  readonly sendable: Collection;
  readonly set: Readonly<Record<string, Plain>> | undefined;
  readonly check: Plain | undefined;
};
/** `named`: the fields that the rule lists as those that may be sent. */
export type UpdateRules = CreateRules & { readonly where: Plain | undefined; readonly named: readonly string[] };

/** What is undefined is not allowed. */
export type CollectionRules = {
  readonly stored: Collection;
  /** The collection with the fields that may be read. */
  readonly seen: Collection;
  readonly isWhole: boolean;
  readonly read: { readonly where: Plain | undefined } | undefined;
  readonly create: CreateRules | undefined;
  readonly update: UpdateRules | undefined;
  /** What a record may have that is created or updated, whichever it will be. Only if the server sets the same in both. */
  readonly upsert: CreateRules | undefined;
  readonly remove: { readonly where: Plain | undefined } | undefined;
};

type Rules = {
  readonly read: ReadRule | undefined;
  readonly create: CreateRule | undefined;
  readonly update: UpdateRule | undefined;
  readonly delete: DeleteRule | undefined;
};

export function rulesIn(rule: AccessRule): Rules {
  if (rule === 'read') return { read: {}, create: undefined, update: undefined, delete: undefined };
  if (rule === 'write') return { read: {}, create: {}, update: {}, delete: {} };
  const some = <One extends object>(one: boolean | One | undefined) =>
    one === true ? ({} as One) : one === false ? undefined : one;
  return {
    read: some<ReadRule>(rule.read),
    create: some<CreateRule>(rule.create),
    update: some<UpdateRule>(rule.update),
    delete: some<DeleteRule>(rule.delete),
  };
}

/** `mayRead` says whether the role may read records of a collection. */
export function collectionRules(
  stored: Collection,
  rule: AccessRule,
  mayRead: (collection: string) => boolean,
): CollectionRules {
  const { read, create, update, delete: remove } = rulesIn(rule);
  const all = Object.keys(stored.declaration.fields);
  const visible = read === undefined ? [] : (read.fields ?? all);
  const isWhole = read !== undefined && all.every((field) => visible.includes(field));
  const some = (fields: readonly string[]) => seenCollection(stored, (field) => fields.includes(field), mayRead);
  const bodyOf = ({ fields = all, set, check }: CreateRule): CreateRules => {
    const sent = fields.filter((field) => set === undefined || !Object.hasOwn(set, field));
    return { sendable: some(sent), set, check };
  };
  const both =
    create !== undefined && update !== undefined && plainJson(create.set ?? {}) === plainJson(update.set ?? {});
  const inBoth = both ? (create.fields ?? all).filter((field) => (update.fields ?? all).includes(field)) : [];
  return {
    stored,
    seen: some(visible),
    isWhole,
    read: read && { where: read.where },
    create: create && bodyOf(create),
    update: update && { ...bodyOf(update), where: update.where, named: update.fields ?? [] },
    upsert: both ? bodyOf({ ...create, fields: inBoth }) : undefined,
    remove: remove && { where: remove.where },
  };
}
