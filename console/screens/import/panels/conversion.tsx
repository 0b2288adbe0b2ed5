/** Offers to convert what a spreadsheet has written: decimal commas, days with points, and lists with semicolons. */
import type { Collection } from '../../../api/declarations.ts';
import { Button } from '../../../parts/button.tsx';
import { convertedCell } from '../cell.ts';
import { type Plan, targetsOf } from '../plan.ts';
import type { SourceRow } from '../source.ts';

export type ConversionProps = {
  readonly collection: Collection;
  readonly plan: Plan;
  /** The first ones. */
  readonly rows: readonly SourceRow[];
  readonly onPlan: (plan: Plan) => void;
};

export function Conversion({ collection, plan, rows, onPlan }: ConversionProps) {
  const examples = examplesOf(collection, plan, rows);
  if (examples.length === 0) return null;
  const isOn = plan.converts === true;
  return (
    <li class="soft">
      <span>
        {isOn ? 'Converted: ' : 'Written as in a spreadsheet: '}
        {examples.map(({ field, cell, text }) => `${field} ${isOn ? `${cell} to ${text}` : cell}`).join('; ')}.
      </span>{' '}
      <Button onPress={() => onPlan({ ...plan, converts: !isOn })}>{isOn ? 'Do not convert' : 'Convert'}</Button>
    </li>
  );
}

/** The first cell of each column that would be another text. */
function examplesOf(collection: Collection, { fields }: Plan, rows: readonly SourceRow[]) {
  const targets = new Map(targetsOf(collection).map(({ name, field }) => [name, field]));
  return fields.flatMap((name, place) => {
    const field = targets.get(name ?? '');
    if (field === undefined || name === null) return [];
    const cells = rows.flatMap((row) => ('cells' in row ? (row.cells[place] ?? []) : []));
    const cell = cells.find((one) => convertedCell(one, field) !== one);
    return cell === undefined ? [] : [{ field: name, cell, text: convertedCell(cell, field) }];
  });
}
