/** The value of a filter, by the type of its field. */
import { useId } from 'preact/hooks';
import { caseCounts } from '../api/columns.ts';
import type { FieldDeclaration } from '../api/declarations.ts';
import type { Filter } from '../api/query.ts';
import { MomentInput } from '../parts/inputs/moment-input.tsx';
import { Offers } from '../parts/inputs/offers.tsx';
import { RecordPicker } from '../parts/inputs/record-picker.tsx';
import { timeIn, timeText } from '../parts/values/moment-text.ts';

/** The values to choose from; none if any text can be one. */
export function choicesOf({ type, of }: FieldDeclaration, operator: string): readonly string[] {
  if (operator === 'is') return ['set', 'null'];
  if (operator === 'in') return [];
  if (type === 'boolean') return ['true', 'false'];
  return type === 'choice' && Array.isArray(of) ? of : [];
}

export type FilterValueProps = {
  readonly field: FieldDeclaration;
  readonly filter: Filter;
  readonly onInput: (value: string) => void;
};

export function FilterValue({ field, filter: { operator, value }, onInput }: FilterValueProps) {
  const id = useId();
  const choices = choicesOf(field, operator);
  const label = 'Value';
  if (choices.length > 0)
    return (
      <select
        class="input"
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => onInput(currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === 'set' ? 'has a value' : choice === 'null' ? 'has no value' : choice}
          </option>
        ))}
      </select>
    );
  if (field.type === 'reference' && operator !== 'in')
    return <RecordPicker id={id} label={label} to={field.to} value={value} onChange={onInput} />;
  if (operator !== 'in' && (field.type === 'date' || field.type === 'timestamp'))
    return (
      <MomentInput
        kind={field.type}
        label={label}
        value={field.type === 'date' || timeIn(value) !== value ? value : timeText(value)}
        onInput={onInput}
      />
    );
  return (
    <>
      <input
        class="input"
        aria-label={label}
        placeholder={
          operator === 'in' ? 'one, two, three' : field.type === 'text' && caseCounts(operator) ? 'case counts' : ''
        }
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {operator === 'in' ? null : <Offers text={value} field={field} onPick={onInput} />}
    </>
  );
}
