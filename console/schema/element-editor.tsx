/** The type of the elements of a list, and its options. */
import type { JsonText } from '../../src/exact/json-text.ts';
import { elementOptionsOf, elementTypes } from './field-types.ts';
import { declarationOf, elementOf, neededBy } from './file/field-edits.ts';
import { MistakeList } from './mistake-list.tsx';
import type { Mistakes } from './mistakes.ts';
import { OptionInput } from './option-input.tsx';

export type ElementEditorProps = {
  /** Of the list. */
  readonly id: string;
  /** Of the option, in the file. */
  readonly path: readonly string[];
  readonly of: JsonText | undefined;
  readonly mistakes: Mistakes;
  readonly onChange: (of: JsonText) => void;
};

export function ElementEditor({ id, path, of, mistakes, onChange }: ElementEditorProps) {
  const { type, options } = elementOf(of);
  const known = elementOptionsOf(type);
  const names = known.map(({ name }) => name);
  function set(option: string, value: JsonText | undefined): void {
    const next = new Map(options);
    if (value === undefined) next.delete(option);
    else next.set(option, value);
    onChange(declarationOf({ type, options: next }));
  }
  return (
    <fieldset class="element-editor">
      <legend>Elements</legend>
      <div class="field-editor">
        <div class="option">
          <label for={`${id}-of`}>Of</label>
          <select
            id={`${id}-of`}
            class="input"
            value={type}
            onChange={({ currentTarget: { value } }) =>
              onChange(declarationOf({ type: value, options: neededBy(value, [], '') }))
            }
          >
            {[...new Set([...elementTypes, type])].filter(Boolean).map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <span class="soft">The type of its elements</span>
          <MistakeList mistakes={mistakes.in(path, names)} />
        </div>
        {known.map((option) => (
          <OptionInput
            key={`${type}-${option.name}`}
            id={`${id}-of`}
            option={option}
            type={type}
            value={options.get(option.name)}
            names={[]}
            mistakes={mistakes.in([...path, option.name])}
            onChange={(value) => set(option.name, value)}
          />
        ))}
      </div>
    </fieldset>
  );
}
