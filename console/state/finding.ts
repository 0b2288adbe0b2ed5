/** Which dialog is open that every screen has. */
import { signal } from '@preact/signals';

export const finding = signal<'palette' | 'keys' | undefined>(undefined);
