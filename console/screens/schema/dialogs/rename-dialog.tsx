/** Asks for another name, and says what becomes of the values. */
import { NameDialog } from './name-dialog.tsx';

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
  const texts = { title: `Rename ${name}`, label: 'New name', cancel: 'Keep the name', action: 'Rename' };
  return (
    <NameDialog {...texts} what={what} former={name} taken={taken} onNamed={onRename} onClose={onClose}>
      {origin === undefined ? null : (
        <p>
          {what === 'field' ? 'Its values stay' : 'Its records stay, and references to it follow'}: the file gets{' '}
          <code>"was": "{origin}"</code>. From then on, requests with the old name are refused.
        </p>
      )}
    </NameDialog>
  );
}
