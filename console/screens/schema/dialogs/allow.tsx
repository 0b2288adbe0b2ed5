/** What loses or converts values is allowed by typing its name. */
import { useState } from 'preact/hooks';
import { draft } from '../../../schema/draft.ts';
import type { Step } from '../../../schema/settings.ts';

export function Allow({ steps }: { readonly steps: readonly Step[] }) {
  const needed = steps.flatMap(({ allow }) => (allow === null ? [] : [allow]));
  if (needed.length === 0) return null;
  return (
    <div class="schema-allow">
      {needed.map((allow) => (
        <TypeName key={allow} allow={allow} />
      ))}
      <p class="soft">With SQLite, a verified backup is written beside the database first.</p>
    </div>
  );
}

function TypeName({ allow }: { readonly allow: string }) {
  const name = allow.split(':')[1] ?? allow;
  const [typed, setTyped] = useState('');
  const id = `schema-allow-${name}`;
  function take(next: string): void {
    setTyped(next);
    const current = draft.value;
    if (current === undefined) return;
    const allowed = new Set(current.allowed);
    if (next === name) allowed.add(allow);
    else allowed.delete(allow);
    draft.value = { ...current, allowed };
  }
  return (
    <>
      <label for={id}>
        Type <b>{name}</b> to {allow.startsWith('drop:') ? 'remove its values' : 'convert its values'}
      </label>
      <input
        id={id}
        class="input"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => take(currentTarget.value)}
      />
    </>
  );
}
