/** The input of one option of a field, with its mistakes. */
import { useState } from 'preact/hooks';
import type { JsonText } from '../../src/exact/json-text.ts';
import { deletionWords, elementTypes, type Option } from './field-types.ts';
import { MistakeList } from './mistake-list.tsx';
import { jsonOfTyped, typedOf, unfinished } from './option-text.ts';

export type OptionInputProps = {
  /** Of the field, unique in the page. */
  readonly id: string;
  readonly option: Option;
  readonly type: string;
  readonly value: JsonText | undefined;
  readonly collections: readonly string[];
  readonly mistakes: readonly string[];
  /** Undefined leaves the option out. */
  readonly onChange: (value: JsonText | undefined) => void;
};

export function OptionInput(props: OptionInputProps) {
  const { id, option, type, value, mistakes, onChange } = props;
  const [typed, setTyped] = useState('');
  const meant = jsonOfTyped(option, type, typed);
  // As it was typed, unless it was changed elsewhere.
  const shown = meant === unfinished || (meant ?? '') === (value ?? '') ? typed : typedOf(option, type, value);
  const problems = meant === unfinished ? ['is not JSON yet: the file keeps the value before'] : mistakes;
  function take(next: string): void {
    setTyped(next);
    const given = jsonOfTyped(option, type, next);
    if (given !== unfinished) onChange(given);
  }
  const inputId = `${id}-${option.name}`;
  const common = {
    id: inputId,
    'aria-invalid': problems.length > 0 ? true : undefined,
    'aria-describedby': `${inputId}-hint${problems.length > 0 ? ` ${inputId}-mistakes` : ''}`,
  };
  if (option.input === 'flag')
    return (
      <div class="option flag">
        <label>
          <input
            {...common}
            type="checkbox"
            checked={value === 'true'}
            onChange={({ currentTarget: { checked } }) => onChange(checked ? 'true' : undefined)}
          />
          {option.label}
        </label>
        <span class="soft" id={`${inputId}-hint`}>
          {option.hint}
        </span>
        <MistakeList id={`${inputId}-mistakes`} mistakes={problems} />
      </div>
    );
  const choices = choicesOf(props);
  return (
    <div class={option.input === 'names' ? 'option tall' : 'option'}>
      <label for={inputId}>{option.label}</label>
      {choices !== undefined ? (
        <select {...common} class="input" value={shown} onChange={({ currentTarget }) => take(currentTarget.value)}>
          {choices.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      ) : option.input === 'names' ? (
        <textarea
          {...common}
          class="input"
          rows={Math.min(8, Math.max(3, shown.split('\n').length))}
          value={shown}
          onInput={({ currentTarget }) => take(currentTarget.value)}
        />
      ) : (
        <input
          {...common}
          class="input"
          type="text"
          autocomplete="off"
          spellcheck={option.input === 'line' && option.name !== 'pattern'}
          value={shown}
          onInput={({ currentTarget }) => take(currentTarget.value)}
        />
      )}
      <span class="soft" id={`${inputId}-hint`}>
        {option.hint}
      </span>
      <MistakeList id={`${inputId}-mistakes`} mistakes={problems} />
    </div>
  );
}

/** Undefined if any text can be typed. */
function choicesOf({ option, type, value, collections }: OptionInputProps): (readonly [string, string])[] | undefined {
  const given = typedOf(option, type, value);
  const same = (name: string) => [name, name] as const;
  if (option.input === 'collection') return [...new Set([given, ...collections])].filter(Boolean).map(same);
  if (option.input === 'element') return [...new Set([...elementTypes, given])].filter(Boolean).map(same);
  if (option.input === 'deletion')
    return Object.entries(deletionWords).map(([name, words]) => [name === 'restrict' ? '' : name, words] as const);
  if (option.input !== 'value') return undefined;
  if (type === 'boolean') return [['', 'none'], same('true'), same('false')];
  return undefined;
}
