/** The named views of a table: to open, to add what is shown now, and to remove. */
import { useState } from 'preact/hooks';
import type { Collection } from '../../api/declarations.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { hrefOf } from '../../state/address.ts';
import { viewsOf } from '../../state/views.ts';

export type ViewsProps = {
  readonly collection: Collection;
  /** The query of what is shown now. */
  readonly current: string;
  readonly onClose: () => void;
};

export function ViewsDialog({ collection, current, onClose }: ViewsProps) {
  const views = viewsOf(collection.name);
  const [name, setName] = useState('');
  function save(): void {
    const view = { name: name.trim(), search: current };
    if (view.name === '') return;
    views.value = [...views.value.filter((one) => one.name !== view.name), view];
    setName('');
  }
  return (
    <Dialog title={`Views of ${collection.title ?? collection.name}`} onClose={onClose}>
      {views.value.length === 0 ? (
        <p class="soft">
          A view keeps the filters, the order, the columns and the density of this table, at this browser.
        </p>
      ) : (
        <ul class="views plain-list">
          {views.value.map((view) => (
            <li key={view.name}>
              <a class="one-line" href={hrefOf([collection.name], view.search)} onClick={onClose}>
                {view.name}
              </a>
              <Button
                icon="trash"
                kind="quiet"
                label={`Remove the view ${view.name}`}
                onPress={() => {
                  views.value = views.value.filter((one) => one !== view);
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <form
        class="view-form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input
          class="input"
          aria-label="Name of the view"
          placeholder="Name of the view"
          maxLength={60}
          value={name}
          onInput={({ currentTarget: { value } }) => setName(value)}
        />
        <Button kind="main" submits refused={name.trim() === '' ? 'Give the view a name.' : undefined}>
          Save this view
        </Button>
      </form>
    </Dialog>
  );
}
