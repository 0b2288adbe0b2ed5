/** Asks for another name, and says what becomes of the values. */
import { useState } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { nameProblem } from '../name-problem.ts';

export type RenameDialogProps = {
  readonly what: 'field' | 'collection';
  readonly name: string;
  /** The name that the server knows; undefined for what is new. */
  readonly origin: string | undefined;
  readonly taken: readonly string[];
  readonly onRename: (name: string) => void;
  readonly onClose: () => void;
};

export function RenameDialog({ what, name, origin, taken, onRename, onClose }: RenameDialogProps) {
  const [typed, setTyped] = useState(name);
  const problem = typed === name ? undefined : nameProblem(what, typed, taken);
  function rename(): void {
    if (problem !== undefined) return;
    if (typed !== name) onRename(typed);
    onClose();
  }
  return (
    <Dialog
      title={`Rename ${name}`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep the name</Button>
          <Button kind="main" refused={problem} onPress={rename}>
            Rename
          </Button>
        </>
      }
    >
      <form
        class="schema-form"
        onSubmit={(event) => {
          event.preventDefault();
          rename();
        }}
      >
        <label for="schema-rename">New name</label>
        <input
          id="schema-rename"
          class="input"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby="schema-rename-problem"
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <p class="mistakes" id="schema-rename-problem" role="alert">
          {problem}
        </p>
      </form>
      {origin === undefined ? null : (
        <p>
          {what === 'field' ? 'Its values stay' : 'Its records stay, and references to it follow'}: the file gets{' '}
          <code>"was": "{origin}"</code>. From then on, requests with the old name are refused.
        </p>
      )}
    </Dialog>
  );
}
