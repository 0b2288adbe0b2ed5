/** The input of one option of a field, with its mistakes. */
import { useState } from 'preact/hooks';
import type { JsonText } from '../../src/exact/json-text.ts';
import { deletionWords, type Option } from './field-types.ts';
import { inlined } from './file/inline-json.ts';
import { MistakeList } from './mistake-list.tsx';
import { isRaw, jsonOfTyped, rowsOf, typedOf, unfinished } from './option-text.ts';

export type OptionInputProps = {
  /** Of the field, unique in the page. */
  readonly id: string;
  readonly option: Option;
  readonly type: string;
  readonly value: JsonText | undefined;
  /** To choose from. */
  readonly names: readonly string[];
  readonly mistakes: readonly string[];
  /** Undefined leaves the option out. */
  readonly onChange: (value: JsonText | undefined) => void;
};

export function OptionInput(props: OptionInputProps) {
  const { id, option, type, value, mistakes, onChange } = props;
  const [typed, setTyped] = useState('');
  const meant = jsonOfTyped(option, type, typed);
  const isJson = option.input === 'value' && isRaw(type);
  const isTyped = meant === unfinished || normal(meant, isJson) === normal(value, isJson);
  // As it was typed, unless it was changed elsewhere.
  const shown = isTyped ? typed : typedOf(option, type, value);
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
  const isTall = isJson || option.input === 'names';
  return (
    <div class={isTall ? 'option tall' : 'option'}>
      <label for={inputId}>{option.label}</label>
      {choices !== undefined ? (
        <select {...common} class="input" value={shown} onChange={({ currentTarget }) => take(currentTarget.value)}>
          {choices.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      ) : isTall ? (
        <textarea
          {...common}
          class={isJson ? 'input json' : 'input'}
          spellcheck={!isJson}
          rows={isJson ? rowsOf(shown) : Math.min(8, Math.max(3, shown.split('\n').length))}
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

/** Without the white space that the file has otherwise. */
function normal(value: JsonText | undefined, isJson: boolean): JsonText {
  return value === undefined ? '' : isJson ? inlined(value) : value;
}

/** Undefined if any text can be typed. */
function choicesOf({ option, type, value, names }: OptionInputProps): (readonly [string, string])[] | undefined {
  const given = typedOf(option, type, value);
  const same = (name: string) => [name, name] as const;
  const known = [...new Set([given, ...names])].filter(Boolean).map(same);
  if (option.input === 'collection') return known;
  if (option.input === 'field') return [['', 'by its name, or the first text field'], ...known];
  if (option.input === 'deletion')
    return Object.entries(deletionWords).map(([name, words]) => [name === 'restrict' ? '' : name, words] as const);
  if (option.input !== 'value') return undefined;
  if (type === 'boolean') return [['', 'none'], same('true'), same('false')];
  return undefined;
}
