/** The input of one value, by its type. Numbers are text: an input of numbers would round them. */
import { isClockDefault } from '../../../api/declarations.ts';
import { MomentInput } from '../../../parts/inputs/moment-input.tsx';
import { Offers } from '../../../parts/inputs/offers.tsx';
import type { InputProps } from './input-props.ts';

export type ScalarInputProps = InputProps & {
  /** For an element of a list, which has no label of its own. */
  readonly label: string | undefined;
};

/** Texts of at most this many characters get an input of one line. */
const mostOfLine = 100;

export function ScalarInput({ id, field, entry, isLocked, isWrong, onInput, label }: ScalarInputProps) {
  const text = typeof entry === 'string' ? entry : '';
  const isNone = entry === null || entry === undefined;
  const common = {
    id,
    class: `input ${field.type}`,
    disabled: isLocked,
    'aria-label': label,
    'aria-invalid': isWrong ? true : undefined,
    'aria-describedby': label === undefined ? `${id}-hint ${id}-problem` : undefined,
  };
  const onText = ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value);
  const placeholder = entry === null ? 'no value' : '';
  // Emptied, an optional field has no value; the draft knows what becomes of one with the moment as default.
  const emptied = field.optional === true && !isClockDefault(field) ? null : '';

  if (field.type === 'choice' || field.type === 'boolean') {
    const choices = field.type === 'boolean' ? ['true', 'false'] : (field.of as readonly string[]);
    return (
      <select
        {...common}
        value={isNone ? '' : text}
        onChange={({ currentTarget: { value } }) =>
          onInput(value === '' ? (entry === undefined ? undefined : null) : value)
        }
      >
        {isNone || field.optional === true ? (
          <option value="">{field.optional === true ? 'no value' : ''}</option>
        ) : null}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (field.type === 'date' || field.type === 'timestamp')
    return (
      <>
        <MomentInput
          id={id}
          kind={field.type}
          label={label}
          value={text}
          {...(entry === null ? { placeholder } : {})}
          isLocked={isLocked}
          isWrong={isWrong}
          describedBy={common['aria-describedby']}
          onInput={(value) => onInput(value === '' ? emptied : value)}
        />
        <Offers text={text} field={field} onPick={onInput} />
      </>
    );
  if (field.type === 'json')
    return (
      <textarea
        {...common}
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={onText}
      />
    );
  // An input of one line would drop the breaks of a text.
  const isShort = label !== undefined || Number(field.max ?? mostOfLine + 1) <= mostOfLine;
  if (field.type === 'text' && (!isShort || /[\r\n]/.test(text))) {
    const lines = Math.min(8, text.split('\n').length + Math.floor(text.length / 60));
    return (
      <textarea
        {...common}
        rows={Math.max(1, lines)}
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget: { value } }) => onInput(withBreaksOf(text, value))}
      />
    );
  }
  return (
    <>
      <input
        {...common}
        type="text"
        inputMode={
          field.type === 'integer'
            ? 'numeric'
            : field.type === 'number' || field.type === 'decimal'
              ? 'decimal'
              : 'text'
        }
        autocomplete="off"
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget: { value } }) =>
          // An empty number is no value; an empty text is one.
          onInput(value === '' && field.type !== 'text' ? emptied : value)
        }
      />
      {isLocked ? null : <Offers text={text} field={field} onPick={onInput} />}
    </>
  );
}

/** A text area has only line feeds; a text whose lines end with CRLF keeps them. */
export function withBreaksOf(before: string, after: string): string {
  const isWindows = before.includes('\r\n') && !/(^|[^\r])\n/.test(before);
  return isWindows ? after.replaceAll(/\r?\n/g, '\r\n') : after;
}
