/** An input of JSON, such as a condition. What is not JSON yet is not taken. */
import { useState } from 'preact/hooks';
import type { JsonText } from '../../../src/exact/json-text.ts';
import type { Option } from '../../schema/field-types.ts';
import { inlined } from '../../schema/file/inline-json.ts';
import { jsonOfTyped, unfinished } from '../../schema/option-text.ts';

export type JsonInputProps = {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: JsonText | undefined;
  readonly onChange: (value: JsonText | undefined) => void;
};

const asJson: Option = { name: 'json', label: '', hint: '', input: 'value' };

export function JsonInput({ label, placeholder, value, onChange }: JsonInputProps) {
  const [typed, setTyped] = useState(value === undefined ? '' : inlined(value));
  const isUnfinished = jsonOfTyped(asJson, 'json', typed) === unfinished;
  return (
    <input
      class="input json"
      aria-label={label}
      aria-invalid={isUnfinished ? true : undefined}
      title={isUnfinished ? 'This is not JSON yet: the file keeps the value before.' : undefined}
      placeholder={placeholder}
      spellcheck={false}
      value={typed}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        const given = jsonOfTyped(asJson, 'json', currentTarget.value);
        if (given !== unfinished) onChange(given);
      }}
    />
  );
}
