/** A row of the file as the record that is sent, or why it is none. */
import type { JsonText } from '../../../src/exact/json-text.ts';
import type { RowProblem } from '../../../src/import/rows.ts';
import { problemIn } from '../../api/check-value.ts';
import type { Collection } from '../../api/declarations.ts';
import { convertedCell, jsonOfCell } from './cell.ts';
import { type Plan, refusedColumns, type Target, targetsOf } from './plan.ts';
import type { SourceRow } from './source.ts';

/** `values` has the fields that the row has, by name, also if it is refused. */
export type Entry = {
  readonly line: number;
  readonly source: string;
  readonly values: ReadonlyMap<string, JsonText>;
  readonly problems: readonly RowProblem[];
};

/** Members that the server sets: an export has them, and they are ignored. */
export const ownNames = ['id', 'version', 'created_at', 'updated_at', ...refusedColumns];

export function entryReader(plan: Plan, collection: Collection): (row: SourceRow) => Entry {
  const targets = new Map(targetsOf(collection, plan.key).map((target) => [target.name, target]));
  const { columns } = plan.layout;
  const chosen = new Map(columns.map((column, place) => [column, plan.fields[place] ?? null]));

  function ofCells(cells: readonly (string | null)[], problems: RowProblem[]): Map<string, JsonText> {
    const values = new Map<string, JsonText>();
    if (cells.length !== columns.length) {
      const message = `The row has ${cells.length} cells, and the header has ${columns.length} columns`;
      problems.push({ field: undefined, message });
      return values;
    }
    for (const [place, cell] of cells.entries()) {
      const target = targets.get(plan.fields[place] ?? '');
      if (target === undefined) continue;
      const text = cell !== null && plan.converts === true ? convertedCell(cell, target.field) : cell;
      const value = text === null ? nullOf(target) : jsonOfCell(text, target.field);
      if (cell !== null && value === undefined)
        problems.push({ field: target.name, message: 'must be JSON, such as ["a","b"]' });
      else if (value !== undefined) values.set(target.name, value);
    }
    return values;
  }

  function ofMembers(members: ReadonlyMap<string, JsonText>, problems: RowProblem[]): Map<string, JsonText> {
    const values = new Map<string, JsonText>();
    for (const [name, value] of members) {
      const field = chosen.has(name) ? chosen.get(name) : ownNames.includes(name) ? null : name;
      if (field === null || field === undefined) continue;
      if (targets.has(field)) values.set(field, value);
      else problems.push({ field: name, message: 'is no field, and not one of the first lines has it' });
    }
    return values;
  }

  return (row) => {
    const problems: RowProblem[] = [];
    const { line, source } = row;
    if ('wrong' in row) problems.push({ field: undefined, message: `The row ${row.wrong}` });
    if ('wrong' in row) return { line, source, values: new Map(), problems };
    const values = 'cells' in row ? ofCells(row.cells, problems) : ofMembers(row.members, problems);
    if (problems.some(({ field }) => field === undefined)) return { line, source, values, problems };
    for (const { name, field, mayBeAbsent, mayBeNull } of targets.values()) {
      const value = values.get(name);
      if (value === undefined) {
        if (!mayBeAbsent && problems.every((problem) => problem.field !== name))
          problems.push({ field: name, message: 'is required' });
      } else if (value !== 'null' || !mayBeNull) {
        const message = value === 'null' ? 'cannot be null' : problemIn(value, field);
        if (message !== undefined) problems.push({ field: name, message });
      }
    }
    return { line, source, values, problems };
  };
}

/** The value of an empty cell; undefined leaves the field out, so that it gets its default. */
function nullOf({ mayBeNull }: Target): JsonText | undefined {
  return mayBeNull ? 'null' : undefined;
}
