/** Finds the records that do not fit a plan, before it is carried out. The same in both engines; nothing is changed. */
import { converted } from '../declarations/convert.ts';
import { isSameType } from '../declarations/field-steps.ts';
import type { CollectionChange } from '../declarations/plan.ts';
import { type Step, type Violation, withRecords } from '../declarations/step.ts';
import type { FieldDeclaration } from '../domain/record/declaration.ts';
import { mayBeAbsent } from '../domain/record/record-schemas.ts';
import { absentValue } from '../domain/record/row.ts';
import { type Identifier, identifier } from '../domain/sql-text.ts';
import { compileField } from '../domain/types/all-types.ts';
import { checkViolations } from './check-checks.ts';
import { uniqueViolations } from './check-unique.ts';
import { bounded, most, type PlanReader, shown } from './plan-reader.ts';

/** The changes with the number of records of each step. */
export function counted(changes: readonly CollectionChange[], reader: PlanReader): Promise<CollectionChange[]> {
  return Promise.all(
    changes.map(async (change) => {
      const { before, steps } = change;
      if (before === undefined) return change;
      const count = async (step: Step) => {
        if (step.touches === undefined) return step;
        const { withField } = step.touches;
        const having = withField === undefined ? undefined : identifier(withField);
        return withRecords(step, await reader.count(identifier(before.name), having));
      };
      return { ...change, steps: await Promise.all(steps.map(count)) };
    }),
  );
}

/** One line for each record, of the first few for each field. */
export async function violationsOf(changes: readonly CollectionChange[], reader: PlanReader): Promise<Violation[]> {
  const lines: Violation[] = [];
  for (const change of changes) {
    const { name, before, after, sources, checked, steps } = change;
    if (before === undefined || steps.length === 0) continue;
    for (const [key, field] of Object.entries(after.fields)) {
      const source = sources.get(key);
      const old = source === undefined ? undefined : before.declaration.fields[source];
      const at = { path: `${name}.${key}`, table: identifier(before.name), column: identifier(source ?? key) };
      const tableOf = (to: string) => {
        const target = changes.find((one) => one.name === to)?.before?.name;
        return target === undefined ? undefined : identifier(target);
      };
      const found =
        old === undefined
          ? await ofAdded(at, field, tableOf, reader)
          : [
              ...(old.optional && !field.optional ? await ofRequired(at, reader) : []),
              ...(checked.includes(key) ? await ofValues(at, old, field, tableOf, reader) : []),
            ];
      lines.push(...found);
    }
    lines.push(...(await uniqueViolations(change, reader)), ...(await checkViolations(change, reader)));
  }
  return lines;
}

/** A field as it is now, and its path in the declarations. */
type Place = { readonly path: string; readonly table: Identifier; readonly column: Identifier };
/** The table of a collection by its new name; undefined if it has none yet. */
type TableOf = (collection: string) => Identifier | undefined;

async function ofAdded(
  { path, table }: Place,
  field: FieldDeclaration,
  tableOf: TableOf,
  reader: PlanReader,
): Promise<Violation[]> {
  if (!mayBeAbsent(field)) {
    const found = await reader.first(table, undefined, most + 1);
    return bounded(
      path,
      found.map((recordId) => ({
        recordIds: [recordId],
        text: `${path} is new and required, and record ${recordId} has no value`,
      })),
    );
  }
  const preset = absentValue(compileField(field));
  if (field.to === undefined || preset === null || typeof preset === 'object') return [];
  const [some] = await reader.first(table, undefined, 1);
  if (some === undefined || !(await lost(field.to, [String(preset)], tableOf, reader)).has(String(preset))) return [];
  return [{ path, recordIds: [], text: `${path} is new, and its default ${preset} is not a record of ${field.to}` }];
}

async function ofRequired({ path, table, column }: Place, reader: PlanReader): Promise<Violation[]> {
  const found = await reader.first(table, column, most + 1);
  return bounded(
    path,
    found.map((recordId) => ({
      recordIds: [recordId],
      text: `${path} of record ${recordId} is null: a value is required`,
    })),
  );
}

async function ofValues(
  { path, table, column }: Place,
  old: FieldDeclaration,
  field: FieldDeclaration,
  tableOf: TableOf,
  reader: PlanReader,
): Promise<Violation[]> {
  const [from, to] = [compileField(old), compileField(field)];
  // A reference of the same type refers to the same collection.
  const target = isSameType(old, field) ? undefined : field.to;
  const lines: Omit<Violation, 'path'>[] = [];
  for await (const rows of reader.rows(table, [{ name: column, field: from }])) {
    const made = rows.flatMap(([recordId, [value = null]]) =>
      value === null ? [] : [{ recordId, value, next: converted(from, to, value) }],
    );
    const ids = made.flatMap(({ next }) => (typeof next === 'object' ? [] : [String(next)]));
    const missing = target === undefined ? new Set() : await lost(target, ids, tableOf, reader);
    for (const { recordId, value, next } of made) {
      const is = `${path} of record ${recordId} is ${shown(from, value)}`;
      const why =
        typeof next === 'object'
          ? next.refused.replace(`(${from.encode(value)}) `, '')
          : missing.has(String(next))
            ? `${target} has no such record`
            : undefined;
      if (why !== undefined) lines.push({ recordIds: [recordId], text: `${is}: ${why}` });
    }
    if (lines.length > most) break;
  }
  return bounded(path, lines);
}

/** Those of these numbers that no record of the collection has. */
async function lost(
  to: string,
  ids: readonly string[],
  tableOf: TableOf,
  reader: PlanReader,
): Promise<ReadonlySet<string>> {
  const table = tableOf(to);
  const present = table === undefined || ids.length === 0 ? new Set() : await reader.present(table, ids);
  return new Set(ids.filter((id) => !present.has(id)));
}
