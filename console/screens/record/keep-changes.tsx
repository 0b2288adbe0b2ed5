/** Asks before entered values are lost by going elsewhere. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { go, guardAddress } from '../../state/address.ts';

export function KeepChanges({ isDirty }: { readonly isDirty: () => boolean }) {
  /** Where the person wants to go. */
  const target = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const removeGuard = guardAddress((to) => {
      if (!isDirty()) return true;
      target.value = to;
      return false;
    });
    // The browser asks with words of its own.
    const onUnload = (event: Event) => {
      if (isDirty()) event.preventDefault();
    };
    window.addEventListener('beforeunload', onUnload);
    return () => {
      removeGuard();
      window.removeEventListener('beforeunload', onUnload);
    };
  });
  const to = target.value;
  if (to === undefined) return null;
  const stay = () => {
    target.value = undefined;
  };
  return (
    <Dialog
      title="Discard your changes?"
      onClose={stay}
      actions={
        <>
          <Button
            kind="danger"
            onPress={() => {
              guardAddress(() => true);
              go(to);
            }}
          >
            Discard
          </Button>
          <Button kind="main" onPress={stay}>
            Keep editing
          </Button>
        </>
      }
    >
      <p>What you have entered is not saved yet.</p>
    </Dialog>
  );
}
