/** The records of a collection as they will be when a plan is carried out: values are converted, and a new field has its default. */
import { converted } from '../declarations/convert.ts';
import { typeOf } from '../declarations/field-steps.ts';
import type { CollectionChange } from '../declarations/plan.ts';
import type { Collection } from '../domain/record/collection.ts';
import type { Column } from '../domain/record/record.ts';
import { absentValue, type Row } from '../domain/record/row.ts';
import { identifier } from '../domain/sql-text.ts';
import { compileField } from '../domain/types/all-types.ts';
import type { Field, FieldValue } from '../domain/types/type.ts';
import type { PlanReader } from './plan-reader.ts';

/** Where a field has its values from; undefined for one that is new. `isKept`: they stay as they are. */
type Origin = { readonly column: Column; readonly isKept: boolean };
export type Origins = ReadonlyMap<string, Origin | undefined>;

export function originsOf(change: CollectionChange, keys: Iterable<string>): Origins {
  return new Map([...keys].map((key) => [key, originOf(change, key)]));
}

function originOf({ before, after, sources }: CollectionChange, key: string): Origin | undefined {
  const source = sources.get(key);
  const [old, now] = [source === undefined ? undefined : before?.declaration.fields[source], after.fields[key]];
  if (source === undefined || old === undefined || now === undefined) return undefined;
  return { column: { name: identifier(source), field: compileField(old) }, isKept: typeOf(old) === typeOf(now) };
}

/** The table as it is, with its columns by the names that their fields will have. */
export function tableOf({ name, before }: CollectionChange, origins: Origins) {
  const columns = [...origins].flatMap(([key, origin]) =>
    origin === undefined ? [] : [[key, origin.column] as const],
  );
  return { name: before?.name ?? name, columns: new Map(columns), references: [], searched: [] };
}

/** Some at a time, with the fields of `origins`. One whose value cannot be converted is left out: that is a line of its own. */
export async function* recordsAfter(
  change: CollectionChange,
  after: Collection,
  origins: Origins,
  reader: PlanReader,
): AsyncGenerator<readonly (readonly [recordId: string, record: Row])[]> {
  const { name, columns } = tableOf(change, origins);
  const keys = [...columns.keys()];
  const moment = new Date().toISOString();
  const defaults = Object.fromEntries([...origins.keys()].map((key) => [key, presetOf(after.fields[key], moment)]));
  for await (const rows of reader.rows(identifier(name), [...columns.values()]))
    yield rows.flatMap(([recordId, values]) => {
      const made = values.map(
        (value, at) => [keys[at] ?? '', valueAfter(after, keys[at] ?? '', origins, value)] as const,
      );
      if (made.some(([, value]) => value === undefined)) return [];
      return [[recordId, { ...defaults, ...Object.fromEntries(made) } as Row] as const];
    });
}

/** `moment` stands for that of the migration. */
function presetOf(field: Field | undefined, moment: string): FieldValue {
  if (field?.clock !== undefined) return field.clock.valueAt(moment);
  const value = field === undefined ? null : absentValue(field);
  return typeof value === 'object' ? null : value;
}

/** Undefined if the value cannot be converted. */
function valueAfter({ fields }: Collection, key: string, origins: Origins, value: FieldValue): FieldValue | undefined {
  const [origin, field] = [origins.get(key), fields[key]];
  if (value === null || origin === undefined || field === undefined || origin.isKept) return value;
  const made = converted(origin.column.field, field, value);
  return typeof made === 'object' ? undefined : made;
}
