/** Asks for the name of a new collection. */
import { useState } from 'preact/hooks';
import { singularOf } from '../../../src/import/proposal/names.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import type { NewCollection } from '../../schema/file/collection-edits.ts';
import { hrefOf } from '../../state/address.ts';
import { nameProblem } from './name-problem.ts';

export type NewCollectionDialogProps = {
  readonly taken: readonly string[];
  readonly onAdd: (added: NewCollection) => void;
  readonly onClose: () => void;
};

export function NewCollectionDialog({ taken, onAdd, onClose }: NewCollectionDialogProps) {
  const [name, setName] = useState('');
  const problem = nameProblem('collection', name, taken);
  function add(): void {
    if (problem !== undefined) return;
    onAdd({ name, singular: singularOf(name), fields: [{ name: 'name', type: 'text', options: new Map() }] });
    onClose();
  }
  return (
    <Dialog
      title="New collection"
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="main" refused={problem} onPress={add}>
            Add the collection
          </Button>
        </>
      }
    >
      <form
        class="schema-form"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <label for="schema-collection">Name</label>
        <input
          id="schema-collection"
          class="input"
          placeholder="books"
          autocomplete="off"
          spellcheck={false}
          value={name}
          aria-invalid={name !== '' && problem !== undefined ? true : undefined}
          aria-describedby="schema-collection-problem"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <p class="mistakes" id="schema-collection-problem" role="alert">
          {name === '' ? '' : problem}
        </p>
      </form>
      <p>
        It starts with a text field called <code>name</code>. Do you have a file with records?{' '}
        <a href={hrefOf(['-', 'import'], 'new=true')}>Make the collection from the file</a>: its fields are proposed
        from the values.
      </p>
    </Dialog>
  );
}
