/** A button. One that may not be used stays reachable, and says why. */
import type { ComponentChildren } from 'preact';
import { notify } from '../state/notices.ts';
import './button.css';
import { Icon, type IconName } from './icon.tsx';

export type ButtonProps = {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  readonly kind?: 'plain' | 'main' | 'danger' | 'quiet';
  /** For a button that shows only its icon. */
  readonly label?: string;
  /** Why it may not be used now. */
  readonly refused?: string | undefined;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  readonly submits?: boolean;
  readonly onPress?: (() => void) | undefined;
};

export function Button({ children, icon, kind = 'plain', label, refused, ...rest }: ButtonProps) {
  const { pressed, expanded, submits, onPress } = rest;
  function press(event: Event): void {
    if (refused === undefined) {
      onPress?.();
      return;
    }
    event.preventDefault();
    notify({ kind: 'bad', text: refused });
  }
  return (
    <button
      type={submits === true ? 'submit' : 'button'}
      class={`button ${kind}${children === undefined ? ' bare' : ''}`}
      aria-label={label}
      title={refused ?? label}
      aria-disabled={refused === undefined ? undefined : true}
      aria-pressed={pressed}
      aria-expanded={expanded}
      onClick={press}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children === undefined ? null : <span class="button-text">{children}</span>}
      {refused === undefined ? null : <span class="unseen">. {refused}</span>}
    </button>
  );
}
