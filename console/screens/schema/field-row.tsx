/** A field in its table: a line that says everything, and opens to be changed. */
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { edit } from '../../schema/draft.ts';
import { FieldEditor } from '../../schema/field-editor.tsx';
import { moveMember } from '../../schema/file/edits.ts';
import { originOf, removeField, renameField, setOption, setType } from '../../schema/file/field-edits.ts';
import type { FileField } from '../../schema/file/model.ts';
import { MistakeList } from '../../schema/mistake-list.tsx';
import type { Mistakes } from '../../schema/mistakes.ts';
import { optionWords } from '../../schema/option-words.ts';
import { RenameDialog } from './dialogs/rename-dialog.tsx';

export type FieldRowProps = {
  readonly collection: string;
  readonly field: FileField;
  readonly place: number;
  readonly last: number;
  readonly taken: readonly string[];
  /** Fields that the server has records of. */
  readonly served: readonly string[];
  readonly isNewCollection: boolean;
  readonly names: readonly string[];
  readonly mistakes: Mistakes;
  readonly isOpen: boolean;
  /** With the name of the field; empty to close. */
  readonly onOpen: (name: string) => void;
};

export function FieldRow(props: FieldRowProps) {
  const { collection, field, place, last, taken, served, isNewCollection, names, mistakes, isOpen, onOpen } = props;
  const { name, type, options } = field;
  const [isRenamed, setRenamed] = useState(false);
  const path = ['collections', collection, 'fields', name];
  const at = { collection, field: name };
  const id = `schema-${collection}-${name}`;
  const origin = originOf(field, served);
  const mark = isNewCollection
    ? undefined
    : origin === undefined
      ? 'new'
      : origin === name
        ? undefined
        : `was ${origin}`;
  const title = options.get('title');
  return (
    <li class={isOpen ? 'open' : ''}>
      <button type="button" class="schema-field" aria-expanded={isOpen} onClick={() => onOpen(isOpen ? '' : name)}>
        <Icon name={isOpen ? 'up' : 'down'} size={14} />
        <span class="schema-field-name">
          {name}
          {mark === undefined ? null : <span class="schema-mark">{mark}</span>}
        </span>
        <code>{type}</code>
        <span class="schema-field-options">
          {optionWords(field)}
          {title === undefined ? null : <span class="soft"> {JSON.parse(title)}</span>}
        </span>
      </button>
      {isOpen ? (
        <div class="schema-field-open">
          <FieldEditor
            id={id}
            field={field}
            path={path}
            mistakes={mistakes}
            collections={names}
            onType={(next) => edit((text) => setType(text, at, next, names))}
            onOption={(option, value) => edit((text) => setOption(text, at, option, value))}
          />
          <div class="schema-actions">
            <Button onPress={() => setRenamed(true)}>Rename {name}</Button>
            <Button
              icon="up"
              label={`Move ${name} up`}
              refused={place === 0 ? 'It is the first field.' : undefined}
              onPress={() => edit((text) => moveMember(text, path, -1))}
            />
            <Button
              icon="down"
              label={`Move ${name} down`}
              refused={place === last ? 'It is the last field.' : undefined}
              onPress={() => edit((text) => moveMember(text, path, 1))}
            />
            <Button
              icon="trash"
              kind="danger"
              onPress={() => {
                onOpen('');
                edit((text) => removeField(text, at));
              }}
            >
              Remove {name}
            </Button>
          </div>
        </div>
      ) : (
        <MistakeList mistakes={mistakes.in(path)} />
      )}
      {isRenamed ? (
        <RenameDialog
          what="field"
          name={name}
          origin={origin}
          taken={taken}
          onRename={(next) => {
            edit((text) => renameField(text, at, next, origin));
            onOpen(next);
          }}
          onClose={() => setRenamed(false)}
        />
      ) : null}
    </li>
  );
}
