/** The file as it is being changed. It stays while other screens are open. */
import { signal } from '@preact/signals';
import { onLeave } from '../state/session.ts';
import type { Settings } from './settings.ts';

export type Draft = {
  /** As the server has it. */
  readonly base: Settings;
  readonly text: string;
  /** What was allowed by typing its name. */
  readonly allowed: ReadonlySet<string>;
};

export const draft = signal<Draft | undefined>(undefined);

export function begin(base: Settings): void {
  draft.value = { base, text: base.text, allowed: new Set() };
}

export function edit(change: (text: string) => string): void {
  const current = draft.value;
  if (current !== undefined) draft.value = { ...current, text: change(current.text) };
}

export const isChanged = ({ base, text }: Draft) => base.text !== text;

onLeave(async () => {
  draft.value = undefined;
});

// The browser asks with words of its own.
window.addEventListener('beforeunload', (event) => {
  if (draft.value !== undefined && isChanged(draft.value)) event.preventDefault();
});
