/** The type of a field and its options. */
import type { JsonText } from '../../src/exact/json-text.ts';
import { ElementEditor } from './element-editor.tsx';
import { fieldTypes, optionsOf } from './field-types.ts';
import type { FileField } from './file/model.ts';
import { MistakeList } from './mistake-list.tsx';
import type { Mistakes } from './mistakes.ts';
import { OptionInput } from './option-input.tsx';

export type FieldEditorProps = {
  readonly id: string;
  readonly field: FileField;
  /** Its path in the file. */
  readonly path: readonly string[];
  readonly mistakes: Mistakes;
  readonly collections: readonly string[];
  readonly onType: (type: string) => void;
  readonly onOption: (name: string, value: JsonText | undefined) => void;
};

export function FieldEditor({ id, field, path, mistakes, collections, onType, onOption }: FieldEditorProps) {
  const { type, options } = field;
  const known = optionsOf(type);
  return (
    <div class="field-editor">
      <div class="option">
        <label for={`${id}-type`}>Type</label>
        <TypeSelect id={`${id}-type`} type={type} onChange={onType} />
        <span class="soft">{fieldTypes.find((one) => one.type === type)?.words}</span>
        <MistakeList
          mistakes={mistakes.in(
            path,
            known.map(({ name }) => name),
          )}
        />
      </div>
      {known.map((option) =>
        option.input === 'element' ? (
          <ElementEditor
            key={option.name}
            id={id}
            path={[...path, option.name]}
            of={options.get(option.name)}
            mistakes={mistakes}
            onChange={(value) => onOption(option.name, value)}
          />
        ) : (
          <OptionInput
            key={`${type}-${option.name}`}
            id={id}
            option={option}
            type={type}
            value={options.get(option.name)}
            names={collections}
            mistakes={mistakes.in([...path, option.name])}
            onChange={(value) => onOption(option.name, value)}
          />
        ),
      )}
    </div>
  );
}

export type TypeSelectProps = {
  readonly id?: string;
  readonly label?: string;
  readonly type: string;
  readonly onChange: (type: string) => void;
};

export function TypeSelect({ id, label, type, onChange }: TypeSelectProps) {
  return (
    <select
      class="input"
      id={id}
      aria-label={label}
      value={type}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {fieldTypes.some((one) => one.type === type) ? null : <option value={type}>{type}</option>}
      {fieldTypes.map((one) => (
        <option key={one.type} value={one.type}>
          {one.type}
        </option>
      ))}
    </select>
  );
}
