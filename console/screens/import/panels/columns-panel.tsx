/** The first rows of a file under the fields that they become; what is wrong is marked before anything is sent. */
import { reasonOf } from '../../../../src/import/rows.ts';
import type { Collection, FieldDeclaration } from '../../../api/declarations.ts';
import { unquoted } from '../../../api/json.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Value } from '../../../parts/values/value.tsx';
import { type Entry, entryReader } from '../entry.ts';
import { missingIn, type Plan, refusedColumns, targetsOf, withField } from '../plan.ts';
import type { SourceRow } from '../source.ts';
import { ChooseKey } from './choose-key.tsx';
import { Conversion } from './conversion.tsx';

export type ColumnsPanelProps = {
  readonly name: string;
  readonly collection: Collection;
  readonly plan: Plan;
  readonly rows: readonly SourceRow[];
  readonly onPlan: (plan: Plan) => void;
  readonly onCheck: () => void;
  readonly onImport: () => void;
  readonly onBack: () => void;
};

export function ColumnsPanel({ name, collection, plan, rows, onPlan, onCheck, onImport, onBack }: ColumnsPanelProps) {
  const fields = new Map(targetsOf(collection, plan.key).map((target) => [target.name, target.field]));
  const missing = missingIn(plan, collection);
  // The note about a missing column is enough for all its rows.
  const entries = rows.map(entryReader(plan, collection)).map((entry) => without(entry, missing));
  const wrong = entries.filter(({ problems }) => problems.length > 0).length;
  const left = plan.layout.columns.filter((column, at) => plan.fields[at] === null && !refusedColumns.includes(column));
  const refused = missing.length === 0 ? undefined : `Choose a column for ${missing.join(', ')} first.`;
  return (
    <>
      <section class="import-columns" aria-labelledby="columns-title">
        <h2 id="columns-title">
          {name} into {collection.name}
        </h2>
        <ChooseKey collection={collection} plan={plan} onPlan={onPlan} />
        <ul class="import-notes">
          <Conversion collection={collection} plan={plan} rows={rows} onPlan={onPlan} />
          {missing.length === 0 ? null : (
            <Note isBad text={`No column has ${missing.join(', ')}, which every ${collection.singular} needs.`} />
          )}
          {left.length === 0 ? null : <Note text={`Left out: ${left.join(', ')}.`} />}
          {wrong === 0 ? null : (
            <Note isBad text={`${wrong} of the first ${entries.length} rows would be refused: see the marks.`} />
          )}
          <Note text="Only Check all rows reads the whole file, and compares references and unique values with other records." />
        </ul>
        {/* A region that scrolls has to be reachable with the keyboard. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
        <section class="import-preview" tabIndex={0} aria-label="The first rows">
          <table>
            <thead>
              <tr>
                <th scope="col">Line</th>
                {plan.layout.columns.map((column, place) => (
                  <th key={place} scope="col">
                    <span class="import-column">{column === '' ? `Column ${place + 1}` : column}</span>
                    <select
                      class="input"
                      aria-label={`Field of ${column}`}
                      value={plan.fields[place] ?? ''}
                      onChange={({ currentTarget: { value } }) =>
                        onPlan(withField(plan, place, value === '' ? null : value))
                      }
                    >
                      <option value="">Leave out</option>
                      {targetsOf(collection, plan.key).map((target) => (
                        <option key={target.name} value={target.name}>
                          {target.name} ({target.field.type}
                          {target.mayBeAbsent ? '' : ', required'})
                        </option>
                      ))}
                    </select>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, place) => (
                <PreviewRow key={row.line} row={row} entry={entries[place]} plan={plan} fields={fields} />
              ))}
            </tbody>
          </table>
        </section>
      </section>
      <div class="import-actions">
        <Button kind="main" refused={refused} onPress={onCheck}>
          Check all rows
        </Button>
        <Button icon="upload" refused={refused} onPress={onImport}>
          Import without a check
        </Button>
        <Button kind="quiet" onPress={onBack}>
          Choose another file
        </Button>
      </div>
      <p class="soft import-hint">
        Without a check, wrong rows are refused all the same: they are left out and listed.
      </p>
    </>
  );
}

function Note({ text, isBad = false }: { readonly text: string; readonly isBad?: boolean }) {
  return (
    <li class={isBad ? 'bad' : 'soft'}>
      {isBad ? <Icon name="warn" /> : null}
      <span>{text}</span>
    </li>
  );
}

type PreviewRowProps = {
  readonly row: SourceRow;
  readonly entry: Entry | undefined;
  readonly plan: Plan;
  readonly fields: ReadonlyMap<string, FieldDeclaration>;
};

function PreviewRow({ row, entry, plan, fields }: PreviewRowProps) {
  const problems = entry?.problems ?? [];
  const { columns } = plan.layout;
  // Problems that no cell can show: of the row as a whole, or of a field without a column.
  const others = problems.filter(({ field }) => field === undefined || !plan.fields.includes(field));
  return (
    <tr>
      <th scope="row">
        {row.line}
        {others.length === 0 ? null : <span class="cell-problem">{reasonOf(others)}</span>}
      </th>
      {columns.map((column, place) => {
        const field = plan.fields[place] ?? null;
        const value = field === null ? undefined : entry?.values.get(field);
        const declared = field === null ? undefined : fields.get(field);
        const why = problems.filter((problem) => problem.field === field && field !== null);
        return (
          <td key={place} class={field === null ? 'left-out' : why.length > 0 ? 'bad' : ''}>
            <span class="cell-text">
              {declared === undefined || value === undefined || why.length > 0 ? (
                textOf(row, column, place)
              ) : (
                <Value value={value} field={declared} />
              )}
            </span>
            {why.length === 0 ? null : <span class="cell-problem">{why.map(({ message }) => message).join('; ')}</span>}
          </td>
        );
      })}
    </tr>
  );
}

function without(entry: Entry, fields: readonly string[]): Entry {
  return { ...entry, problems: entry.problems.filter(({ field }) => field === undefined || !fields.includes(field)) };
}

function textOf(row: SourceRow, column: string, place: number): string {
  if ('cells' in row) return row.cells[place] ?? '';
  if ('members' in row) return unquoted(row.members.get(column) ?? '');
  return place === 0 ? row.source : '';
}
