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
};

/** The fields that a record can be given. */
export function targetsOf(collection: Collection): readonly Target[] {
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

/** The fields that every record needs, and no column has. Lines can have members that the first ones do not. */
export function missingIn({ layout, fields }: Plan, collection: Collection): string[] {
  if (layout.format === 'lines') return [];
  return targetsOf(collection)
    .filter(({ name, mayBeAbsent }) => !mayBeAbsent && !fields.includes(name))
    .map(({ name }) => name);
}
