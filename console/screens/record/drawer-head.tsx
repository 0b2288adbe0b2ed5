/** The head of the drawer: which record it is, what can be done with it, and the way out. */
import type { ComponentChildren } from 'preact';
import { Button } from '../../parts/button.tsx';

type HeadProps = { readonly title: string; readonly onClose: () => void; readonly children?: ComponentChildren };

export function DrawerHead({ title, onClose, children }: HeadProps) {
  return (
    <div class="drawer-head">
      <h2 class="one-line">{title}</h2>
      {children}
      <Button icon="close" kind="quiet" label="Close the record" onPress={onClose} />
    </div>
  );
}
