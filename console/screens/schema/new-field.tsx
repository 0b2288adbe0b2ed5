/** The name and the type of a new field. */
import { useState } from 'preact/hooks';
import type { JsonText } from '../../../src/exact/json-text.ts';
import { Button } from '../../parts/button.tsx';
import { TypeSelect } from '../../schema/field-editor.tsx';
import { neededBy } from '../../schema/file/field-edits.ts';
import { nameProblem } from './name-problem.ts';

export type NewFieldProps = {
  readonly collection: string;
  readonly taken: readonly string[];
  readonly names: readonly string[];
  readonly isOptional: boolean;
  readonly onAdd: (name: string, type: string, options: ReadonlyMap<string, JsonText>) => void;
  readonly onClose: () => void;
};

export function NewField({ collection, taken, names, isOptional, onAdd, onClose }: NewFieldProps) {
  const [name, setName] = useState('');
  const [type, setType] = useState('text');
  const problem = nameProblem('field', name, taken);
  const isShown = name !== '' && problem !== undefined;
  const id = `schema-new-${collection}`;
  return (
    <form
      class="schema-new"
      aria-label={`New field of ${collection}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem !== undefined) return;
        onAdd(
          name,
          type,
          new Map([...neededBy(type, names, collection), ...(isOptional ? [['optional', 'true'] as const] : [])]),
        );
      }}
    >
      <input
        class="input"
        aria-label="Name of the new field"
        placeholder="name of the field"
        autocomplete="off"
        spellcheck={false}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        value={name}
        aria-invalid={isShown ? true : undefined}
        aria-describedby={isShown ? id : undefined}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TypeSelect label="Type of the new field" type={type} onChange={setType} />
      <Button submits kind="main" refused={problem}>
        Add
      </Button>
      <Button onPress={onClose}>Cancel</Button>
      {isShown ? (
        <p class="mistakes" id={id} role="alert">
          {problem}
        </p>
      ) : null}
    </form>
  );
}
