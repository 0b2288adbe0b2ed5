/** Which columns the table shows, in which order and how wide; the choice is remembered by this browser. */
import { useState } from 'preact/hooks';
import type { Column } from '../../api/columns.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { leastWidth, moved } from './columns.ts';

export type ChooseColumnsProps = {
  /** All of them, in their order. */
  readonly columns: readonly Column[];
  readonly shown: readonly string[];
  readonly widthOf: (column: Column) => number;
  readonly onChange: (shown: readonly string[]) => void;
  readonly onResize: (name: string, width: number | undefined) => void;
  readonly onClose: () => void;
};

export function ChooseColumns({ columns, shown, widthOf, onChange, onResize, onClose }: ChooseColumnsProps) {
  const placeOf = (name: string) => columns.findIndex((one) => one.name === name);
  /** After those that come before it where all are shown. */
  const withColumn = (name: string) =>
    shown.toSpliced(shown.filter((one) => placeOf(one) < placeOf(name)).length, 0, name);
  const others = columns.filter(({ name }) => !shown.includes(name));
  const lines = [...shown.flatMap((name) => columns.find((one) => one.name === name) ?? []), ...others];
  return (
    <Dialog
      title="Columns"
      onClose={onClose}
      actions={
        <Button kind="main" onPress={onClose}>
          Done
        </Button>
      }
    >
      <ul class="column-list plain-list">
        {lines.map((column) => {
          const { name, field } = column;
          const place = shown.indexOf(name);
          return (
            <li key={name}>
              <label class="one-line">
                <input
                  type="checkbox"
                  checked={place >= 0}
                  onChange={({ currentTarget: { checked } }) =>
                    onChange(checked ? withColumn(name) : shown.filter((one) => one !== name))
                  }
                />
                {name} <span class="soft">{field.type}</span>
              </label>
              {place < 0 ? null : (
                <>
                  <WidthInput name={name} width={widthOf(column)} onResize={onResize} />
                  <Button
                    icon="up"
                    kind="quiet"
                    label={`Move ${name} up`}
                    onPress={() => onChange(moved(shown, name, place - 1))}
                  />
                  <Button
                    icon="down"
                    kind="quiet"
                    label={`Move ${name} down`}
                    onPress={() => onChange(moved(shown, name, place + 1))}
                  />
                </>
              )}
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}

type WidthInputProps = Pick<ChooseColumnsProps, 'onResize'> & { readonly name: string; readonly width: number };

/** Keeps what is typed until it is finished: the dialog is drawn again whenever a record changes. */
function WidthInput({ name, width, onResize }: WidthInputProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      class="input"
      type="number"
      step={10}
      min={leastWidth}
      aria-label={`Width of ${name}`}
      value={typed ?? width}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget: { value } }) => onResize(name, value === '' ? undefined : Number(value))}
      onBlur={() => setTyped(undefined)}
    />
  );
}
