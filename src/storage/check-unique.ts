/** Finds the records that break the unique rules of a plan. */
import { converted } from '../declarations/convert.ts';
import { typeOf } from '../declarations/field-steps.ts';
import type { CollectionChange } from '../declarations/plan.ts';
import { rulesToCheck } from '../declarations/rules/new-rules.ts';
import { type Collection, collection } from '../domain/record/collection.ts';
import type { Column } from '../domain/record/record.ts';
import { absentValue } from '../domain/record/row.ts';
import { among, listed } from '../domain/record/rule-text.ts';
import { fieldsOfRule, type UniqueRule } from '../domain/record/unique-rules.ts';
import { identifier } from '../domain/sql-text.ts';
import { compileField } from '../domain/types/all-types.ts';
import type { Field, FieldValue } from '../domain/types/type.ts';
import { matcher } from '../domain/where/match.ts';
import { bounded, type Equal, most, type PlanReader, shown } from './plan-reader.ts';

/** Lines for the first records that break each rule which is new, or has values that are converted. */
export async function uniqueViolations(change: CollectionChange, reader: PlanReader): Promise<string[]> {
  const after = collection(change.name, change.after);
  const lines: string[] = [];
  for (const rule of rulesToCheck(change, after.unique)) {
    const origins = new Map([...fieldsOfRule(rule)].map((key) => [key, originOf(change, key)]));
    const isThere = [...origins.values()].every((origin) => origin?.isKept === true);
    const found = isThere
      ? await reader.equal(tableOf(change, origins), rule, most + 1)
      : await equalAfter(change, after, rule, origins, reader);
    lines.push(
      ...bounded(
        pathOf(after, rule),
        found.map((equal) => lineOf(after, rule, equal)),
      ),
    );
  }
  return lines;
}

/** Where a field has its values from; undefined for one that is new. `isKept`: they stay as they are. */
type Origin = { readonly column: Column; readonly isKept: boolean };
type Origins = ReadonlyMap<string, Origin | undefined>;

function originOf({ before, after, sources }: CollectionChange, key: string): Origin | undefined {
  const source = sources.get(key);
  const [old, now] = [source === undefined ? undefined : before?.declaration.fields[source], after.fields[key]];
  if (source === undefined || old === undefined || now === undefined) return undefined;
  return { column: { name: identifier(source), field: compileField(old) }, isKept: typeOf(old) === typeOf(now) };
}

/** The table as it is, with its columns by the names that their fields will have. */
function tableOf({ name, before }: CollectionChange, origins: Origins) {
  const columns = [...origins].flatMap(([key, origin]) =>
    origin === undefined ? [] : [[key, origin.column] as const],
  );
  return { name: before?.name ?? name, columns: new Map(columns), references: [] };
}

/** Compares the values that records will have: different ones can become equal, and a new field has its default. */
async function equalAfter(
  change: CollectionChange,
  after: Collection,
  rule: UniqueRule,
  origins: Origins,
  reader: PlanReader,
): Promise<readonly Equal[]> {
  const { name, columns } = tableOf(change, origins);
  const keys = [...columns.keys()];
  const isFor = matcher(after, rule.where ?? []);
  const defaults = Object.fromEntries([...origins.keys()].map((key) => [key, presetOf(after.fields[key])]));
  const owners = new Map<string, string>();
  const found: Equal[] = [];
  for await (const rows of reader.rows(identifier(name), [...columns.values()])) {
    for (const [recordId, values] of rows) {
      const made = values.map(
        (value, at) => [keys[at] ?? '', valueAfter(after, keys[at] ?? '', origins, value)] as const,
      );
      // A value that cannot be converted is a line of its own.
      if (made.some(([, value]) => value === undefined)) continue;
      const record = { ...defaults, ...Object.fromEntries(made) } as Readonly<Record<string, FieldValue>>;
      const own = rule.fields.map((field) => record[field] ?? null);
      if (own.includes(null) || !isFor(record)) continue;
      const text = JSON.stringify(own.map(String));
      const owner = owners.get(text);
      if (owner === undefined) owners.set(text, recordId);
      else found.push([owner, recordId, own]);
    }
    if (found.length > most) break;
  }
  return found;
}

function presetOf(field: Field | undefined): FieldValue {
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

/** A rule of one field among all records is one of the field. */
function pathOf({ name }: Collection, { fields, condition }: UniqueRule): string {
  return fields.length === 1 && condition === undefined ? `${name}.${fields[0]}` : `${name}: ${listed(fields)}`;
}

function lineOf(after: Collection, rule: UniqueRule, [first, last, values]: Equal): string {
  const { fields, condition } = rule;
  const are = values.map((value, at) => shown(after.fields[fields[at] ?? ''], value));
  const [is, must] = fields.length === 1 ? ['is', 'it must be unique'] : ['are', 'they must be unique together'];
  return `${pathOf(after, rule)} of records ${first} and ${last} ${is} ${listed(are)}: ${must}${among(condition)}`;
}
