/** One field of the form: its name, the input of its type, and what is wrong with it. */
import type { Column } from '../../../api/columns.ts';
import { isClockDefault } from '../../../api/declarations.ts';
import { Button } from '../../../parts/button.tsx';
import type { Entry } from '../entry.ts';
import './field.css';
import { hintOf, momentHint } from './hint.ts';
import type { InputProps } from './input-props.ts';
import { ListInput } from './list-input.tsx';
import { ReferenceInput } from './reference-input.tsx';
import { ScalarInput } from './scalar-input.tsx';

export type FieldProps = {
  readonly column: Column;
  readonly entry: Entry;
  readonly problem: string | undefined;
  readonly isLocked: boolean;
  /** It differs from the record. */
  readonly isChanged: boolean;
  readonly onInput: (entry: Entry) => void;
};

export function Field({ column: { name, field }, entry, problem, isLocked, isChanged, onInput }: FieldProps) {
  const id = `field-${name}`;
  /** In a new record. */
  const getsMoment = entry === undefined && isClockDefault(field);
  const canBeNone = field.optional === true && !isLocked && entry !== null && (entry !== undefined || getsMoment);
  return (
    <div class={isChanged ? 'field changed' : 'field'}>
      <div class="field-head">
        <label for={id} id={`${id}-label`}>
          {name}
        </label>
        <span class="soft one-line" id={`${id}-hint`}>
          {getsMoment ? `${momentHint(field)}; ` : null}
          {hintOf(field)}
        </span>
        {canBeNone ? (
          <Button kind="quiet" icon="close" label={`${name}: no value`} onPress={() => onInput(null)} />
        ) : null}
      </div>
      <FieldInput {...{ id, field, entry, isLocked, onInput }} isWrong={problem !== undefined} />
      {problem === undefined ? null : (
        <p class="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function FieldInput(props: InputProps) {
  if (props.field.type === 'list') return <ListInput {...props} />;
  if (props.field.type === 'reference') return <ReferenceInput {...props} />;
  return <ScalarInput {...props} label={undefined} />;
}
