/** Asks for the name of a new collection. */
import { singularOf } from '../../../src/import/proposal/names.ts';
import type { NewCollection } from '../../schema/file/collection-edits.ts';
import { hrefOf } from '../../state/address.ts';
import { NameDialog } from './dialogs/name-dialog.tsx';

export type NewCollectionDialogProps = {
  readonly taken: readonly string[];
  readonly onAdd: (added: NewCollection) => void;
  readonly onClose: () => void;
};

export function NewCollectionDialog({ taken, onAdd, onClose }: NewCollectionDialogProps) {
  const texts = { title: 'New collection', label: 'Name', cancel: 'Cancel', action: 'Add the collection' };
  const add = (name: string) =>
    onAdd({ name, singular: singularOf(name), fields: [{ name: 'name', type: 'text', options: new Map() }] });
  return (
    <NameDialog {...texts} what="collection" former="" taken={taken} onNamed={add} onClose={onClose}>
      <p>
        It starts with a text field called <code>name</code>. Do you have a file with records?{' '}
        <a href={hrefOf(['-', 'import'], 'new=true')}>Make the collection from the file</a>: its fields are proposed
        from the values.
      </p>
    </NameDialog>
  );
}
