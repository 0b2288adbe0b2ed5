/** A column of the file as a field: its name and type, the values that decided, and all options behind a button. */
import { useId, useState } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { FieldEditor, TypeSelect } from '../../../schema/field-editor.tsx';
import { typeChanged } from '../../../schema/file/field-edits.ts';
import { MistakeList } from '../../../schema/mistake-list.tsx';
import type { Mistakes } from '../../../schema/mistakes.ts';
import { optionWords } from '../../../schema/option-words.ts';
import type { ProposedColumn } from './proposed.ts';

export type ColumnRowProps = {
  readonly column: ProposedColumn;
  /** Of its field, in the file. */
  readonly path: readonly string[];
  readonly mistakes: Mistakes;
  readonly collections: readonly string[];
  readonly onChange: (change: Partial<ProposedColumn>) => void;
};

export function ColumnRow({ column, path, mistakes, collections, onChange }: ColumnRowProps) {
  const { column: name, field, because, examples, isLeftOut } = column;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const words = optionWords(field);
  const setType = (type: string) => onChange({ field: typeChanged(field, type, collections, '') });
  return (
    <li class={isLeftOut ? 'left-out-column' : ''}>
      <div class="proposal-field">
        <input
          class="input"
          aria-label={`Field of ${name}`}
          spellcheck={false}
          autocomplete="off"
          disabled={isLeftOut}
          value={field.name}
          onInput={({ currentTarget }) => onChange({ field: { ...field, name: currentTarget.value } })}
        />
        {name === field.name ? null : <span class="soft one-line">from {name}</span>}
      </div>
      <div class="proposal-type">
        <TypeSelect label={`Type of ${field.name}`} type={field.type} onChange={setType} />
      </div>
      <div class="proposal-reason">
        {words === '' ? null : <span>{words}</span>}
        <span class="soft">{because}</span>
        {isLeftOut || isOpen ? null : <MistakeList mistakes={mistakes.in(path)} />}
      </div>
      <ul class="proposal-examples plain-list" aria-label={`First values of ${name}`}>
        {examples.map((text, place) => (
          <li key={place} class="one-line">
            {text === '' ? '\u2013' : text}
          </li>
        ))}
      </ul>
      <div class="proposal-actions">
        <Button kind="quiet" label={`Options of ${field.name}`} expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          Options
        </Button>
        <Button
          kind="quiet"
          icon={isLeftOut ? 'plus' : 'close'}
          label={isLeftOut ? `Take ${name} in` : `Leave ${name} out`}
          onPress={() => onChange({ isLeftOut: !isLeftOut })}
        />
      </div>
      {isOpen ? (
        <div class="proposal-options">
          <FieldEditor
            id={id}
            field={field}
            path={path}
            mistakes={mistakes}
            collections={collections}
            onType={setType}
            onOption={(option, value) => {
              const options = new Map(field.options);
              if (value === undefined) options.delete(option);
              else options.set(option, value);
              onChange({ field: { ...field, options } });
            }}
          />
        </div>
      ) : null}
    </li>
  );
}
