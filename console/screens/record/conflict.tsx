/** Somebody else was faster: both versions side by side, to choose from field by field. */

import { useSignal } from '@preact/signals';
import type { JsonText } from '../../../src/exact/json-text.ts';
import type { Row } from '../../api/pages.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Value } from '../../parts/values/value.tsx';
import { type Difference, differences, type Side } from './differences.ts';
import type { Draft } from './draft.ts';

export type ConflictProps = {
  readonly draft: Draft;
  readonly base: Row;
  readonly theirs: Row;
  readonly onClose: () => void;
  /** With the fields that differ from theirs. */
  readonly onChosen: (chosen: ReadonlyMap<string, JsonText>) => void;
};

export function Conflict({ draft, base, theirs, onClose, onChosen }: ConflictProps) {
  const found = differences(draft.columns, base.values, draft.changes, theirs.values);
  const choices = useSignal<ReadonlyMap<string, Side | undefined>>(
    new Map(found.map(({ column, preset }) => [column.name, preset])),
  );
  const open = found.filter(({ column }) => choices.value.get(column.name) === undefined);
  function chosen(): ReadonlyMap<string, JsonText> {
    const own = found.filter(({ column }) => choices.value.get(column.name) === 'yours');
    return new Map(own.map(({ column, yours }) => [column.name, yours]));
  }
  return (
    <Dialog
      title="Somebody else has changed this record"
      wide
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Back to the form</Button>
          <Button
            kind="main"
            refused={
              open.length === 0 ? undefined : `Choose a side for ${open.map(({ column }) => column.name).join(', ')}.`
            }
            onPress={() => onChosen(chosen())}
          >
            Save what is chosen
          </Button>
        </>
      }
    >
      <p>
        You began with version {base.version}; it is version {theirs.version} now. Nothing is overwritten until you
        choose.
      </p>
      <div class="conflict-frame">
        <table class="conflict">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Yours</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {found.map((difference) => (
              <Line
                key={difference.column.name}
                difference={difference}
                side={choices.value.get(difference.column.name)}
                onChoose={(side) => {
                  choices.value = new Map([...choices.value, [difference.column.name, side]]);
                }}
              />
            ))}
          </tbody>
        </table>
      </div>
      {open.length === 0 ? null : <p>Still to choose: {open.map(({ column }) => column.name).join(', ')}</p>}
    </Dialog>
  );
}

const unchanged: Readonly<Record<Side, string>> = { yours: 'not changed by you', theirs: 'not changed by them' };

type LineProps = {
  readonly difference: Difference;
  readonly side: Side | undefined;
  readonly onChoose: (side: Side) => void;
};

function Line({ difference, side, onChoose }: LineProps) {
  const { column, preset } = difference;
  // The preset is the side that has changed the field.
  const isUnchanged = (one: Side) => preset !== undefined && preset !== one;
  return (
    <tr>
      <th scope="row">
        {column.name}
        {preset === undefined ? <span class="conflict-note">changed by both</span> : null}
      </th>
      {(['yours', 'theirs'] as const).map((one) => (
        <td key={one} class={side === one ? 'chosen' : undefined}>
          <label>
            <input
              type="radio"
              name={`side-${column.name}`}
              checked={side === one}
              aria-label={`${column.name}: ${isUnchanged(one) ? unchanged[one] : one}`}
              onChange={() => onChoose(one)}
            />
            <span class="conflict-value">
              <Value value={difference[one]} field={column.field} isCompared />
              {isUnchanged(one) ? <span class="conflict-note">{unchanged[one]}</span> : null}
            </span>
          </label>
        </td>
      ))}
    </tr>
  );
}
