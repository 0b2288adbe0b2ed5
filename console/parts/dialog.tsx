/** A dialog over the page. The browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import './dialog.css';

export type DialogProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The buttons at its end. */
  readonly actions?: ComponentChildren;
  readonly wide?: boolean;
  /** At the top of the page: its height changes while a person types. */
  readonly top?: boolean;
  readonly onClose: () => void;
};

export function Dialog({ title, children, actions, wide = false, top = false, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog${wide ? ' wide' : ''}${top ? ' top' : ''}`}
      aria-label={title}
      onKeyDown={(event) => {
        // Escape closes the dialog, not what is behind it.
        if (event.key === 'Escape') event.stopPropagation();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2>{title}</h2>
          <Button icon="close" kind="quiet" label="Close" onPress={onClose} />
        </div>
        {children}
        {actions === undefined ? null : <div class="dialog-actions">{actions}</div>}
      </div>
    </dialog>
  );
}
