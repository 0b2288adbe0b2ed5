/** Which columns the table shows; the choice is remembered by this browser. */
import { columnsOf } from '../../api/columns.ts';
import type { Collection } from '../../api/declarations.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { hiddenColumns } from './columns.ts';

export function ChooseColumns({
  collection,
  onClose,
}: {
  readonly collection: Collection;
  readonly onClose: () => void;
}) {
  const hidden = hiddenColumns(collection);
  return (
    <Dialog
      title="Columns"
      onClose={onClose}
      actions={
        <Button kind="main" onPress={onClose}>
          Done
        </Button>
      }
    >
      <ul class="choices plain-list">
        {columnsOf(collection).map(({ name, field }) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={!hidden.value.includes(name)}
                onChange={({ currentTarget }) => {
                  const others = hidden.value.filter((one) => one !== name);
                  hidden.value = currentTarget.checked ? others : [...others, name];
                }}
              />
              {name} <span class="soft">{field.type}</span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
