/** Asks for the name of a collection or of a field. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { nameProblem } from '../name-problem.ts';

export type NameDialogProps = {
  readonly title: string;
  readonly label: string;
  readonly cancel: string;
  readonly action: string;
  readonly what: 'field' | 'collection';
  /** The name that it has; empty for what is new. */
  readonly former: string;
  readonly taken: readonly string[];
  /** Called for another name than the former one. */
  readonly onNamed: (name: string) => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

export function NameDialog(props: NameDialogProps) {
  const { title, label, cancel, action, what, former, taken, onNamed, onClose, children } = props;
  const [name, setName] = useState(former);
  const isFormer = name === former;
  const problem = isFormer && former !== '' ? undefined : nameProblem(what, name, taken);
  const shown = isFormer ? undefined : problem;
  function take(): void {
    if (problem !== undefined) return;
    if (!isFormer) onNamed(name);
    onClose();
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{cancel}</Button>
          <Button kind="main" refused={problem} onPress={take}>
            {action}
          </Button>
        </>
      }
    >
      <form
        class="schema-form"
        onSubmit={(event) => {
          event.preventDefault();
          take();
        }}
      >
        <label for="schema-name">{label}</label>
        <input
          id="schema-name"
          class="input"
          autocomplete="off"
          spellcheck={false}
          value={name}
          aria-invalid={shown === undefined ? undefined : true}
          aria-describedby="schema-name-problem"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <p class="mistakes" id="schema-name-problem" role="alert">
          {shown}
        </p>
      </form>
      {children}
    </Dialog>
  );
}
