/** An input of JSON, such as a condition. What is not JSON yet is not taken. */
import { useId, useState } from 'preact/hooks';
import type { JsonText } from '../../../src/exact/json-text.ts';
import type { Option } from '../../schema/field-types.ts';
import { inlined } from '../../schema/file/inline-json.ts';
import { MistakeList } from '../../schema/mistake-list.tsx';
import { jsonOfTyped, rowsOf, unfinished } from '../../schema/option-text.ts';

export type JsonInputProps = {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: JsonText | undefined;
  readonly onChange: (value: JsonText | undefined) => void;
};

const asJson: Option = { name: 'json', label: '', hint: '', input: 'value' };
const normal = (json: JsonText | undefined) => (json === undefined ? '' : inlined(json));

export function JsonInput({ label, placeholder, value, onChange }: JsonInputProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const meant = jsonOfTyped(asJson, 'json', typed);
  const isUnfinished = meant === unfinished;
  // As it was typed, unless it was changed elsewhere.
  const shown = isUnfinished || normal(meant) === normal(value) ? typed : normal(value);
  return (
    <div class="json-input">
      <textarea
        class="input json"
        rows={rowsOf(shown)}
        aria-label={label}
        aria-invalid={isUnfinished ? true : undefined}
        aria-describedby={isUnfinished ? id : undefined}
        placeholder={placeholder}
        spellcheck={false}
        value={shown}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          const given = jsonOfTyped(asJson, 'json', currentTarget.value);
          if (given !== unfinished) onChange(given);
        }}
      />
      <MistakeList id={id} mistakes={isUnfinished ? ['is not JSON yet: the file keeps the value before'] : []} />
    </div>
  );
}
