/** A reference: search the other collection by its titles, or type an id. */
import { RecordPicker } from '../../../parts/inputs/record-picker.tsx';
import type { InputProps } from './input-props.ts';

export function ReferenceInput({ id, field, entry, isLocked, isWrong, onInput }: InputProps) {
  return (
    <RecordPicker
      id={id}
      to={field.to}
      value={typeof entry === 'string' ? entry : ''}
      {...(entry === null ? { placeholder: 'no value' } : {})}
      isLocked={isLocked}
      isWrong={isWrong}
      describedBy={`${id}-hint ${id}-problem`}
      onChange={(value) => onInput(value === '' && field.optional === true ? null : value)}
    />
  );
}
