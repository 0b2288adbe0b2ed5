/** Which column of a file becomes which field of a record. */
import { rejectNames, wholeLine } from '../../../src/import/refused-text.ts';
import { columnsOf } from '../../api/columns.ts';
import type { Collection, FieldDeclaration } from '../../api/declarations.ts';
import type { Layout } from './layout.ts';

export type Target = {
  readonly name: string;
  readonly field: FieldDeclaration;
  /** A record may leave it out. */
  readonly mayBeAbsent: boolean;
  readonly mayBeNull: boolean;
};

export type Plan = {
  readonly collection: string;
  readonly layout: Layout;
  /** The name of the field of each column; null leaves the column out. */
  readonly fields: readonly (string | null)[];
  /** The fields of a unique rule: records that have the same values are updated. Undefined if every row is a new record. */
  readonly key?: readonly string[] | undefined;
  /** Cells with a decimal comma become numbers, and those with semicolons lists. */
  readonly converts?: boolean;
};

/** The fields that a record can be given. With a key a record needs no others than those of the key: it may exist. */
export function targetsOf(collection: Collection, key?: readonly string[]): readonly Target[] {
  const targets = ownTargets(collection);
  if (key === undefined) return targets;
  return targets.map((target) => {
    const isKey = key.includes(target.name);
    return { ...target, mayBeAbsent: !isKey, mayBeNull: target.mayBeNull && !isKey };
  });
}

function ownTargets(collection: Collection): readonly Target[] {
  return columnsOf(collection)
    .filter(({ isOwn }) => !isOwn)
    .map(({ name, field }) => {
      const isContractId = collection.contract && name === 'external_id';
      return {
        name,
        field,
        mayBeAbsent: isContractId || field.optional === true || field.default !== undefined,
        mayBeNull: !isContractId && field.optional === true,
      };
    });
}

/** Columns of a file of refused rows. */
export const refusedColumns: readonly string[] = [...rejectNames, wholeLine.withoutId];

/** Columns have the fields of their names; "Published on" is `published_on`. Others are left out. */
export function guessPlan(collection: Collection, layout: Layout): Plan {
  const targets = targetsOf(collection);
  const taken = new Set<string>();
  const fields = layout.columns.map((column) => {
    const same = (name: string | undefined) => name !== undefined && plainName(name) === plainName(column);
    const found = targets.find(({ name, field }) => !taken.has(name) && (same(name) || same(field.title)))?.name;
    if (found !== undefined) taken.add(found);
    return found ?? null;
  });
  return { collection: collection.name, layout, fields };
}

function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

/** A field has one column: another that had it is left out. */
export function withField(plan: Plan, place: number, field: string | null): Plan {
  const fields = plan.fields.map((one, at) => (at === place ? field : one === field ? null : one));
  return { ...plan, fields };
}

/** The fields of each rule that can be a key: several rules with the same fields leave open which one is meant, unless one of them is for all records. */
export function keysOf({ fields, unique = [] }: Collection): readonly (readonly string[])[] {
  const single = Object.keys(fields).filter((name) => fields[name]?.unique);
  const rules = [
    ...single.map((name) => ({ fields: [name], where: undefined })),
    ...unique.map((rule) => ('fields' in rule ? rule : { fields: rule, where: undefined })),
  ];
  const bySet = Map.groupBy(rules, (rule) => [...rule.fields].sort().join());
  return [...bySet.values()]
    .filter((same) => same.length === 1 || same.some(({ where }) => where === undefined))
    .flatMap(([first]) => (first === undefined ? [] : [first.fields]));
}

/** The fields that every record needs, and no column has. Lines can have members that the first ones do not. */
export function missingIn({ layout, fields, key }: Plan, collection: Collection): string[] {
  if (layout.format === 'lines') return [];
  return targetsOf(collection, key)
    .filter(({ name, mayBeAbsent }) => !mayBeAbsent && !fields.includes(name))
    .map(({ name }) => name);
}
